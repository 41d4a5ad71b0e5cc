/** The entry point of a worker that trains a sweep's runs. */
import { expose } from 'comlink';
import { RunnerHost } from '../src/app/sweep/runner-host.ts';

// The page hears of an `error` event only; a rejection that nobody handles has to become one.
addEventListener('unhandledrejection', (event) => {
  event.preventDefault();
  setTimeout(() => {
    throw event.reason;
  });
});

expose(new RunnerHost());
