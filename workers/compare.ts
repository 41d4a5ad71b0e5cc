/** The statistics worker's entry point: ten thousand resamples a comparison would hold the page up. */
import { expose } from 'comlink';
import { compareGroups } from '../src/experiment/compare-runs.ts';

expose({ compareGroups });
