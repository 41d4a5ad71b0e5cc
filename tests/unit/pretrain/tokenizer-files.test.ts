import { describe, expect, it } from 'vitest';
import { createGame } from '../../../src/marft/game.ts';
import { agentMessages } from '../../../src/marft/prompt.ts';
import { teamSchema } from '../../../src/marft/settings.ts';
import { scratchWork } from '../../../src/pretrain/behaviour.ts';
import { MAX_VOCABULARY_SIZE, trainTokenizerFiles } from '../../../src/pretrain/train-tokenizer.ts';
import { duoAddition } from '../../../src/tasks/addition.ts';
import { COLOURS, OBJECTS } from '../../../src/tasks/secret.ts';
import { ADDITION_TEAM, SECRET_TEAM } from '../../../src/tasks/teams.ts';
import { createChatTokenizer } from '../../../src/tokenizer/chat-tokenizer.ts';

const FILES = trainTokenizerFiles(1);
const TOKENIZER = createChatTokenizer(FILES);

const tokensOf = (text: string): string[] => Array.from(TOKENIZER.encode(text), (id) => TOKENIZER.tokenText(id));

describe('the trained tokenizer', () => {
  it('is the same for the same seed', () => {
    expect(trainTokenizerFiles(1)).toEqual(FILES);
  });

  it('has 320 to 512 tokens, the special ones last', () => {
    expect(FILES.vocabularySize).toBeGreaterThanOrEqual(320);
    expect(FILES.vocabularySize).toBeLessThanOrEqual(MAX_VOCABULARY_SIZE);
    const last = [3, 2, 1].map((back) => TOKENIZER.tokenText(FILES.vocabularySize - back));
    expect(last).toEqual(['<|endoftext|>', '<|im_start|>', '<|im_end|>']);
    expect(TOKENIZER.stopIds).toEqual([FILES.vocabularySize - 1]);
  });

  it('has every digit on its own', () => {
    expect(tokensOf('27+158')).toEqual(['2', '7', '+', '1', '5', '8']);
  });

  it('has every word of the teams as one token', () => {
    for (const { profile, instruction } of [...ADDITION_TEAM, ...SECRET_TEAM]) {
      for (const text of [profile, instruction]) expect(tokensOf(text)).toEqual(text.split(/(?= |\.$)/));
    }
    for (const word of [...COLOURS, ...OBJECTS]) expect(tokensOf(` ${word}`)).toEqual([` ${word}`]);
  });

  it('writes ChatML', () => {
    const { ids } = TOKENIZER.chat([{ role: 'system', content: ['a'] }, { role: 'user', content: ['b'] }], true);
    expect(Array.from(ids, (id) => TOKENIZER.tokenText(id)).join('')).toBe(
      '<|im_start|>system\na<|im_end|>\n<|im_start|>user\nb<|im_end|>\n<|im_start|>assistant\n',
    );
  });

  it('keeps prompts short: fewer than 40 tokens for a reasoner, than 64 for a solver that reads its work', () => {
    const game = createGame(teamSchema.parse({ agents: ADDITION_TEAM }));
    for (const problem of duoAddition(2).heldOut(256, 1)) {
      expect(TOKENIZER.chat(agentMessages(game, 0, problem, []), true).ids.length).toBeLessThan(40);
      const said = [{ agent: 0, content: TOKENIZER.encode(scratchWork(problem.question)) }];
      expect(TOKENIZER.chat(agentMessages(game, 1, problem, said), true).ids.length).toBeLessThan(64);
    }
  });

  it('lets every agent finish within its limit, the token that ends its turn included', () => {
    const [reasoner, solver] = ADDITION_TEAM;
    for (const problem of duoAddition(3).heldOut(256, 1)) {
      expect(TOKENIZER.encode(scratchWork(problem.question)).length).toBeLessThan(reasoner?.maxNewTokens ?? 0);
      expect(TOKENIZER.encode(problem.answer).length).toBeLessThan(solver?.maxNewTokens ?? 0);
    }
  });
});
