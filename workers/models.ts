/** The entry point of the worker that sees to models. Its name is the address of the model whose tokenizer stands in for others. */
import { expose } from 'comlink';
import { ModelsHost } from '../src/app/models/host.ts';

// The page hears of an `error` event only; a rejection that nobody handles has to become one.
addEventListener('unhandledrejection', (event) => {
  event.preventDefault();
  setTimeout(() => {
    throw event.reason;
  });
});

expose(new ModelsHost(self.name));
