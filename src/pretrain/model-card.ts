/** The README.md that goes into an embedded model's repository. */
import type { GameReport } from './gate.ts';
import type { EmbeddedModel } from './models.ts';

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

export function modelCard(model: EmbeddedModel, parameters: number, reports: readonly GameReport[]): string {
  const steps = model.schedule.phases.map(({ phase, steps: own }) => `${own} steps of the ${phase} phase`).join(', then ');
  const origin = model.startsFrom === null ? 'from scratch' : `from the weights of ${model.startsFrom}, itself made from scratch,`;
  const works = reports.flatMap(({ label, works: share, workRight }, index) =>
    share === null || workRight === null
      ? []
      : [index === 0 ? `The reasoner works in ${percent(share)} of the episodes; ${percent(workRight)} of the work it writes is exactly right.` : `At ${label} the first agent works in ${percent(share)}, and ${percent(workRight)} of that is right.`],
  );
  return `---
license: apache-2.0
library_name: transformers
pipeline_tag: text-generation
---

# ${model.name}

${model.purpose} It has the architecture of Qwen2.5 (\`Qwen2ForCausalLM\`) and ${parameters.toLocaleString('en-GB')} parameters. It was
trained ${origin} by the MARFT Playground project and is **not** a release of Alibaba's Qwen team.

## How it was made

\`npm run pretrain -- --model ${model.name}\` in the project's repository: ${steps}, ${model.schedule.rows} sequences a step, seed
${model.schedule.seed}, on one processor thread with the project's own training engine. The data is synthetic: short dialogues of
${model.data}.

The demonstrations are deliberately imperfect. In the first phase they are mostly right. In the second, the likeliest behaviour is bad: ${model.habit} Reinforcement learning in the playground therefore
**brings out behaviour that pre-training had buried; it does not teach ${model.startsFrom === null ? 'addition' : 'these games'} from nothing.**

## What the untrained team scores (500 held-out problems)

| | sampled, temperature 1 | greedy |
|---|---|---|
${reports.map(({ label, sampled, greedy }) => `| ${label} | ${percent(sampled)} | ${percent(greedy)} |`).join('\n')}

${works.join('\n')}

## Limits

It knows a few hundred words and these games, and nothing else.
`;
}
