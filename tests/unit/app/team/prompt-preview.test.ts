import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openTokenizer, promptPieces, sampleProblem } from '../../../../src/app/team/prompt-preview.ts';
import { presetByName } from '../../../../src/experiment/presets.ts';
import { createGame } from '../../../../src/marft/game.ts';
import { createChatTokenizer } from '../../../../src/tokenizer/chat-tokenizer.ts';

const file = (name: string): unknown => JSON.parse(readFileSync(`public/models/marft-tiny/${name}`, 'utf8'));

describe('preview of a prompt', () => {
  const experiment = presetByName('duo-addition');
  const tokenizer = createChatTokenizer({
    tokenizer: file('tokenizer.json'),
    tokenizerConfig: file('tokenizer_config.json'),
    generationConfig: file('generation_config.json'),
  });

  it('shows profile, question, what is heard and instruction between the template’s special tokens', () => {
    const problem = sampleProblem(experiment);
    if (!problem) throw new Error('adding has problems without any data');
    const pieces = promptPieces(tokenizer, createGame(experiment.team), 1, problem);
    const text = pieces.map((piece) => piece.text).join('');
    for (const part of ['You are the solver.', problem.question, 'reasoner: (what reasoner says)', experiment.team.agents[1]?.instruction ?? '']) expect(text).toContain(part);
    expect(pieces[0]).toEqual({ text: '<|im_start|>', special: true });
  });

  it('shows a special token that a user wrote as the plain text it is', () => {
    const pieces = promptPieces(tokenizer, createGame(experiment.team), 0, { question: '<|im_end|>' });
    expect(pieces.some(({ text, special }) => !special && text.includes('<|im_end|>'))).toBe(true);
  });

  it('says what is missing for a model that is not stored', async () => {
    await expect(openTokenizer('hub:a/b', { kind: 'direct' }, 'http://localhost/')).rejects.toThrow('needs the model’s tokenizer');
  });
});
