/** Asking a team: what each agent says, as the base model and as it was trained. */
import { createInterface } from 'node:readline';
import { at } from '../marft/arrays.ts';
import { rollout, spokenIds } from '../marft/rollout.ts';
import { STREAM } from '../marft/streams.ts';
import { LiveText } from '../tokenizer/live-text.ts';
import { readArguments } from './arguments.ts';
import { experimentToOpen, openTeam, TEAM_HELP, TEAM_OPTIONS, type Team } from './team.ts';
import type { Command } from './terminal.ts';

const HELP = `Ask a team a question: the base model and the trained team side by side.

Usage: npm run --silent marft -- chat <run folder|preset|file.json> [options]

Options:
  --question TEXT     Ask this and end; otherwise every line of standard input is a question, until it ends (Ctrl-D).
  --secret TEXT       What only the first agent is told.
  --greedy            Take the likeliest tokens instead of sampling with the experiment's seed.
${TEAM_HELP}
  --json              Print a line of JSON a question.
  --help              Show this.

Exit codes: 0 done, 1 failed, 2 wrong arguments; Ctrl-C ends at once.
`;

interface Said {
  agent: string;
  text: string;
}

export const CHAT_COMMAND: Command = {
  name: 'chat',
  summary: 'Ask a team a question, base and trained side by side.',
  help: HELP,
  async run(args, terminal) {
    const given = readArguments('chat', args, { question: 'value', secret: 'value', greedy: 'flag', json: 'flag', ...TEAM_OPTIONS });
    const wanted = experimentToOpen('chat', given);
    const team = await openTeam(wanted, given);
    const secret = given.values.get('secret');
    let asked = 0;
    const answer = async (question: string): Promise<void> => {
      asked += 1;
      const json = given.flags.has('json');
      const play = (title: string, players: Team['base']): Promise<Said[]> => {
        const heard = json ? players : aloud(team, title, players, (text) => terminal.print(text));
        return said(team, heard, { question, ...(secret === undefined ? {} : { secret }) }, asked, given.flags.has('greedy'));
      };
      const base = await play('base', team.base);
      const trained = team.trained === null ? null : await play('trained', team.trained);
      if (json) terminal.print(`${JSON.stringify({ question, base, trained })}\n`);
    };
    try {
      const question = given.values.get('question');
      if (question !== undefined) {
        await answer(question);
        return 0;
      }
      if (terminal.interactive) terminal.complain(`Ask ${wanted.experiment.team.agents.map(({ name }) => name).join(' and ')}. Questions of this task look like: ${team.session.task.heldOut(1, 1)[0]?.question ?? ''}\n`);
      for await (const line of createInterface({ input: process.stdin })) {
        if (line.trim() !== '') await answer(line);
      }
      return 0;
    } finally {
      team.session.dispose();
    }
  },
};

async function said({ session }: Team, players: Team['base'], told: { question: string; secret?: string }, asked: number, greedy: boolean): Promise<Said[]> {
  const { experiment, tokenizer, trainer } = session;
  const problem = { id: 'chat', answer: '', ...told };
  const [episode] = await rollout(trainer.game, players, tokenizer, [problem], { key: [experiment.seed, STREAM.chat, asked], greedy });
  return (episode?.utterances ?? []).map((utterance) => ({ agent: at(trainer.game.agents, utterance.agent).name, text: tokenizer.decode(spokenIds(utterance)) }));
}

/** The same players, whose words are printed as they come: a line an answer, the first with the title. */
function aloud({ session }: Team, title: string, players: Team['base'], print: (text: string) => void): Team['base'] {
  const { tokenizer, trainer } = session;
  let first = true;
  return players.map((player, agent) => ({
    generate: async (prompts, options) => {
      const text = new LiveText(tokenizer);
      print(`${(first ? title : '').padEnd(8)}  ${at(trainer.game.agents, agent).name}: `);
      first = false;
      const generations = await player.generate(prompts, { ...options, onTokens: (_, tokens) => print(text.push(tokens)) });
      print(`${text.end()}\n`);
      return generations;
    },
  }));
}
