/** The training worker's entry point: the page's calls on one side, a session with its trainer on the other. */
import { expose } from 'comlink';
import { TrainerHost } from '../src/app/trainer/host.ts';

// The page hears of an `error` event only; a rejection that nobody handles has to become one.
addEventListener('unhandledrejection', (event) => {
  event.preventDefault();
  setTimeout(() => {
    throw event.reason;
  });
});

expose(new TrainerHost());
