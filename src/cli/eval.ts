/** How good a team is on problems that it was never trained on: as its base model plays them, and as it was trained. */
import { evaluateTeam } from '../marft/evaluate.ts';
import { meanPassAtK } from '../marft/pass-at-k.ts';
import { readArguments, UsageError, wholeNumber } from './arguments.ts';
import { experimentToOpen, openTeam, TEAM_HELP, TEAM_OPTIONS, type Team } from './team.ts';
import type { Command } from './terminal.ts';

/** Most attempts at a problem. */
const MAX_SAMPLES = 256;

/** An answer with this reward is right. */
const RIGHT = 1;

const HELP = `Measure a team on held-out problems: base against trained, greedy, sampled, and pass@k.

Usage: npm run --silent marft -- eval <run folder|preset|file.json> [options]

Options:
  --problems N        Held-out problems, never trained on; the experiment's finalEvalProblems unless given.
  --samples N         Attempts at each problem, sampled; the largest k unless given.
  --k LIST            The k of pass@k: how likely one of k attempts gets the full reward, estimated without bias from
                      all of a problem's attempts. 1,4 unless given.
${TEAM_HELP}
  --json              Print the numbers as JSON.
  --help              Show this.

Exit codes: 0 done, 1 failed, 2 wrong arguments.
`;

interface Measured {
  /** Mean reward over all attempts, and with the likeliest tokens. */
  sampled: number;
  greedy: number;
  /** By k. */
  passAtK: Record<string, number>;
}

export const EVAL_COMMAND: Command = {
  name: 'eval',
  summary: 'Measure a team on held-out problems, base against trained.',
  help: HELP,
  async run(args, terminal) {
    const given = readArguments('eval', args, { problems: 'value', samples: 'value', k: 'value', json: 'flag', ...TEAM_OPTIONS });
    const wanted = experimentToOpen('eval', given);
    const ks = listOfK(given.values.get('k') ?? '1,4');
    const samples = wholeNumber(given, 'samples') ?? Math.max(...ks);
    if (samples < Math.max(...ks) || samples > MAX_SAMPLES) throw new UsageError(`${samples} attempts do not do for pass@${Math.max(...ks)}.`, `Give at least as many as the largest k, and at most ${MAX_SAMPLES}.`);
    const problems = wholeNumber(given, 'problems') ?? wanted.experiment.schedule.finalEvalProblems;
    if (problems < 1) throw new UsageError('At least one problem is needed.', 'For example --problems 64.');
    const team = await openTeam(wanted, given);
    try {
      const measure = (players: Team['base']): Promise<Measured> => measured(team, players, problems, samples, ks);
      const base = await measure(team.base);
      const trained = team.trained === null ? null : await measure(team.trained);
      const { chance } = team.session.task;
      terminal.print(given.flags.has('json') ? `${JSON.stringify({ problems, samples, chance, base, trained })}\n` : table(problems, samples, chance, base, trained));
      return 0;
    } finally {
      team.session.dispose();
    }
  },
};

async function measured({ session }: Team, players: Team['base'], count: number, samples: number, ks: readonly number[]): Promise<Measured> {
  const { experiment, task, tokenizer, trainer } = session;
  const problems = task.heldOut(count, experiment.seed);
  const attempts = problems.flatMap((problem) => new Array<typeof problem>(samples).fill(problem));
  const options = { seed: experiment.seed, batch: experiment.schedule.episodes };
  const greedy = await evaluateTeam(trainer.game, players, tokenizer, task, problems, { ...options, greedy: true });
  const sampled = await evaluateTeam(trainer.game, players, tokenizer, task, attempts, { ...options, greedy: false });
  const successes = problems.map((_, p) => sampled.verdicts.slice(p * samples, (p + 1) * samples).filter(({ reward }) => reward >= RIGHT).length);
  return { sampled: sampled.reward, greedy: greedy.reward, passAtK: Object.fromEntries(ks.map((k) => [k, meanPassAtK(successes, samples, k)])) };
}

function table(problems: number, samples: number, chance: number, base: Measured, trained: Measured | null): string {
  const row = (name: string, { sampled, greedy, passAtK }: Measured): string =>
    [name.padEnd(8), `sampled ${sampled.toFixed(3)}`, `greedy ${greedy.toFixed(3)}`, ...Object.entries(passAtK).map(([k, value]) => `pass@${k} ${value.toFixed(3)}`)].join('  ');
  return [`${problems} held-out problems, ${samples} attempts each; chance ${chance.toFixed(3)}`, row('base', base), ...(trained === null ? [] : [row('trained', trained)]), ''].join('\n');
}

function listOfK(text: string): number[] {
  const ks = text.split(',').map(Number);
  if (!/^\d{1,3}(?:,\d{1,3})*$/.test(text) || ks.some((k) => k < 1)) throw new UsageError(`"${text}" is no list of k.`, 'Write --k 1,4,16.');
  return [...new Set(ks)].sort((a, b) => a - b);
}
