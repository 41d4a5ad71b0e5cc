/** The entry point of the worker that reads data. */
import { expose } from 'comlink';
import { DataHost } from '../src/app/data/host.ts';

// The page hears of an `error` event only; a rejection that nobody handles has to become one.
addEventListener('unhandledrejection', (event) => {
  event.preventDefault();
  setTimeout(() => {
    throw event.reason;
  });
});

expose(new DataHost());
