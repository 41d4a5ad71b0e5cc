/** Experiments of every shape that the schema allows, for properties that hold for all of them. */
import fc from 'fast-check';
import { PRESETS } from '../../../src/experiment/presets.ts';
import { parseExperiment, type Experiment } from '../../../src/experiment/schema.ts';
import { LORA_TARGETS } from '../../../src/marft/settings.ts';

const number = (min: number, max: number): fc.Arbitrary<number> => fc.double({ min, max, noNaN: true }).map((value) => value + 0);
const lora = fc.record({
  rank: fc.integer({ min: 1, max: 256 }),
  alpha: number(0.01, 1024),
  targets: fc.shuffledSubarray([...LORA_TARGETS], { minLength: 1 }),
});
const agent = fc.record(
  { profile: fc.string({ unit: 'binary', maxLength: 60 }), instruction: fc.string({ maxLength: 40 }), trainable: fc.boolean(), maxNewTokens: fc.integer({ min: 1, max: 1024 }), temperature: number(0.05, 4), adapter: lora },
  { requiredKeys: ['profile'] },
);

/** A chain's agents, the last of which answers, or a team that a preset has. */
const agents = fc.array(agent, { minLength: 1, maxLength: 8 }).map((members) => members.map((member, k) => ({ ...member, name: `agent-${k}`, role: k === members.length - 1 ? 'answers' : 'speaks' })));

const changes = fc.record(
  {
    name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
    agents,
    cut: fc.boolean(),
    roles: fc.constantFrom('named', 'anonymous'),
    digits: fc.option(fc.integer({ min: 1, max: 3 })),
    model: fc.constantFrom('marft-tiny', 'marft-games', 'marft-micro', 'hub:Qwen/Qwen2.5-0.5B-Instruct', 'hub:owner/name@main'),
    algorithm: fc.record(
      {
        method: fc.constantFrom('marft', 'ippo', 'maporl', 'none'),
        gammaToken: number(0, 1),
        learningRate: number(0, 1),
        targetKl: fc.option(number(0.001, 10)),
        clipHigh: number(0, 10),
        epochs: fc.integer({ min: 1, max: 16 }),
        critic: fc.record({ method: fc.constantFrom('ridge', 'gradient'), adapter: fc.option(lora), penalty: number(0.1, 1e6) }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    ),
    seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    iterations: fc.integer({ min: 1, max: 100_000 }),
  },
  { requiredKeys: [] },
);

export const experiments: fc.Arbitrary<Experiment> = fc.tuple(fc.constantFrom(...PRESETS), changes).map(([preset, change]) => {
  const { name, agents: members, cut, roles, digits, model, algorithm, seed, iterations } = change;
  const base = structuredClone(preset.experiment);
  return parseExperiment({
    ...base,
    name: name ?? base.name,
    task: digits === undefined ? base.task : digits === null ? { name: 'secret' } : { name: 'duo-addition', options: { digits } },
    team: { ...base.team, ...(members === undefined ? {} : { agents: members, dependency: 'chain' }), ...(cut === true ? { dependency: 'none' } : {}), roles: roles ?? base.team.roles },
    model: model ?? base.model,
    algorithm: { ...base.algorithm, ...algorithm, critic: { ...base.algorithm.critic, ...algorithm?.critic } },
    seed: seed ?? base.seed,
    schedule: { ...base.schedule, iterations: iterations ?? base.schedule.iterations },
  });
});
