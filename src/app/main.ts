import { mount } from 'svelte';
import 'uplot/dist/uPlot.min.css';
import './styles/tokens.css';
import './styles/base.css';
import { readAddress } from './address.ts';
import App from './App.svelte';
import { takeSignInReturn } from './models/sign-in.ts';
import { keepForOffline, keepRuntime } from './offline/register.ts';
import { Playground } from './state/playground.svelte.ts';

const target = document.getElementById('app');
if (!target) throw new Error('the page has no #app element');

// First of all: it puts the address back that was left for the sign-in.
const signedIn = takeSignInReturn();
const playground = new Playground(readAddress(document.baseURI));
mount(App, { target, props: { playground } });
if (signedIn) void playground.models.comeBack(signedIn);
playground.share.begin();
void playground.begin().then(() => playground.backend && keepRuntime(playground.backend.kind));
// What is kept for later is fetched no sooner than what is needed now.
addEventListener('load', () => void playground.share.answered.then(() => keepForOffline(document.baseURI)));
