/** The README.md that goes into an embedded model's repository. */
import type { TeamReport } from './gate.ts';
import type { EmbeddedModel } from './models.ts';

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

export function modelCard(model: EmbeddedModel, parameters: number, report: TeamReport): string {
  const steps = model.schedule.phases.map(({ phase, steps: own }) => `${own} steps of the ${phase} phase`).join(', then ');
  return `---
license: apache-2.0
library_name: transformers
pipeline_tag: text-generation
---

# ${model.name}

${model.purpose} It has the architecture of Qwen2.5 (\`Qwen2ForCausalLM\`) and ${parameters.toLocaleString('en-GB')} parameters. It was
trained from scratch by the MARFT Playground project and is **not** a release of Alibaba's Qwen team.

## How it was made

\`npm run pretrain -- --model ${model.name}\` in the project's repository: ${steps}, ${model.schedule.rows} sequences a step, seed
${model.schedule.seed}, on one processor thread with the project's own training engine. The data is synthetic: short dialogues of
teams that add numbers or pass on a secret digit.

The demonstrations are deliberately imperfect. In the first phase they are mostly right. In the second, the likeliest behaviour is bad: the
reasoner skips its work, and the solver then answers ten too much. Reinforcement learning in the playground therefore
**brings out behaviour that pre-training had buried; it does not teach addition from nothing.**

## What the untrained team scores (500 held-out problems)

| | sampled, temperature 1 | greedy |
|---|---|---|
| duo addition, two digits | ${percent(report.additionSampled)} | ${percent(report.additionGreedy)} |
| secret (chance: 10 %) | ${percent(report.secretSampled)} | ${percent(report.secretGreedy)} |

The reasoner works in ${percent(report.works)} of the episodes; ${percent(report.workRight)} of the work it writes is exactly right.

## Limits

It knows a few hundred words and these games, and nothing else.
`;
}
