/** Judges answers in a worker of the page, whose sandboxes are workers of its own. */
import { webSandbox } from '../../src/app/sandbox/web-sandbox.ts';
import { Random } from '../../src/random/random.ts';
import { taskByName } from '../../src/tasks/registry.ts';
import { NO_SERVICES } from '../../src/tasks/services.ts';
import type { Verdict } from '../../src/tasks/types.ts';
import type { Judging } from './sandbox-page.ts';

async function judge({ options, words, answers }: Judging): Promise<Verdict[]> {
  const task = taskByName('code', options);
  await task.prepare?.({ ...NO_SERVICES, sandbox: webSandbox() });
  const problem = task.sample?.().find(({ question }) => question.includes(words));
  if (!problem) throw new Error(`there is no problem with ${words}`);
  const verdicts: Verdict[] = [];
  for (const answer of answers) verdicts.push(await task.verify(problem, answer, { answers: [answer], random: new Random(0) }));
  return verdicts;
}

addEventListener('message', ({ data }: MessageEvent<Judging>) => {
  judge(data).then(
    (verdicts) => postMessage(verdicts),
    (error: unknown) =>
      setTimeout(() => {
        throw error;
      }),
  );
});
