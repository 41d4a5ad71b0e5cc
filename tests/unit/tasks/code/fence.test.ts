import { describe, expect, it } from 'vitest';
import { lastFenced } from '../../../../src/tasks/code/fence.ts';

describe('the program in an answer', () => {
  it.each([
    ['the only block', 'Here:\n```python\nprint(1)\n```\nThat is it.', 'print(1)', 'python'],
    ['the last of several', '```python\nprint(1)\n```\nBetter:\n```py\nprint(2)\n```', 'print(2)', 'py'],
    ['not a blank one behind it', '```python\nprint(1)\n```\n```\n \n```', 'print(1)', 'python'],
    ['one without a word', '```\nprint(1)\n```', 'print(1)', ''],
    ['one that is never closed', 'So:\n```js\nprint(1)\nprint(2)', 'print(1)\nprint(2)', 'js'],
    ['between waves', '~~~Python\nprint(1)\n~~~', 'print(1)', 'python'],
    ['with a longer fence around a shorter one', '````md\n```\nx\n```\n````', '```\nx\n```', 'md'],
    ['with what follows the word on its line', '```python title="a"\nprint(1)\n```', 'print(1)', 'python'],
    ['with lines of other systems', '```python\r\nprint(1)\r\nprint(2)\r\n```\r\n', 'print(1)\nprint(2)', 'python'],
    ['indented as it is', '```python\nif 1:\n    print(1)\n```', 'if 1:\n    print(1)', 'python'],
  ])('is %s', (_, answer, code, tag) => {
    expect(lastFenced(answer)).toEqual({ code, tag });
  });

  it.each(['', 'print(1)', '`print(1)`', 'a ``` in a line', '```\n```', '```python```'])('is none in %j', (answer) => {
    expect(lastFenced(answer)).toBeNull();
  });

  it('takes no time to find among a hundred thousand fences', () => {
    expect(lastFenced('```\nx\n```\n'.repeat(100_000))?.code).toBe('x');
    expect(lastFenced('`'.repeat(1_000_000))).toBeNull();
  });
});
