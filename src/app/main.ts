import { mount } from 'svelte';
import 'uplot/dist/uPlot.min.css';
import './styles/tokens.css';
import './styles/base.css';
import { readAddress } from './address.ts';
import App from './App.svelte';
import { Playground } from './state/playground.svelte.ts';

const target = document.getElementById('app');
if (!target) throw new Error('the page has no #app element');

const playground = new Playground(readAddress(document.baseURI));
mount(App, { target, props: { playground } });
void playground.begin();
