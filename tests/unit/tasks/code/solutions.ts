/** A right solution of every built-in problem in both languages, by the problem's name. */
import type { Language } from '../../../../src/sandbox/types.ts';

export const SOLUTIONS: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  'sum-of-two': {
    python: 'print(sum(map(int, input().split())))',
    javascript: 'const [a, b] = readline().split(" ").map(Number);\nconsole.log(a + b);',
  },
  'largest-of-list': {
    python: 'input()\nprint(max(map(int, input().split())))',
    javascript: 'readline();\nconsole.log(Math.max(...readline().split(" ").map(Number)));',
  },
  'count-vowels': {
    python: 'def count_vowels(text):\n    return sum(letter in "aeiou" for letter in text.lower())',
    javascript: 'const count_vowels = (text) => (text.match(/[aeiou]/gi) ?? []).length;',
  },
  'reverse-words': {
    python: 'print(" ".join(reversed(input().split())))',
    javascript: 'console.log(readline().split(" ").reverse().join(" "));',
  },
  'is-palindrome': {
    python: 'def is_palindrome(text):\n    return text == text[::-1]',
    javascript: 'function is_palindrome(text) {\n  return [...text].reverse().join("") === text;\n}',
  },
  factorial: {
    python: 'import math\ndef factorial(n):\n    return math.factorial(n)',
    javascript: 'function factorial(n) {\n  return n < 2 ? 1 : n * factorial(n - 1);\n}',
  },
  fibonacci: {
    python: 'n = int(input())\na, b = 0, 1\nfound = []\nfor _ in range(n):\n    found.append(a)\n    a, b = b, a + b\nprint(*found)',
    javascript: 'const n = Number(readline());\nconst found = [0, 1];\nwhile (found.length < n) found.push(found.at(-1) + found.at(-2));\nconsole.log(found.slice(0, n).join(" "));',
  },
  'fizz-buzz': {
    python: 'for k in range(1, int(input()) + 1):\n    print("Fizz" * (k % 3 == 0) + "Buzz" * (k % 5 == 0) or k)',
    javascript: 'const n = Number(readline());\nfor (let k = 1; k <= n; k++) console.log(((k % 3 ? "" : "Fizz") + (k % 5 ? "" : "Buzz")) || k);',
  },
  'is-prime': {
    python: 'def is_prime(n):\n    return n > 1 and all(n % k for k in range(2, int(n ** 0.5) + 1))',
    javascript: 'function is_prime(n) {\n  for (let k = 2; k * k <= n; k++) if (n % k === 0) return false;\n  return n > 1;\n}',
  },
  'greatest-common-divisor': {
    python: 'import math\nprint(math.gcd(*map(int, input().split())))',
    javascript: 'let [a, b] = readline().split(" ").map(Number);\nwhile (b) [a, b] = [b, a % b];\nconsole.log(a);',
  },
  'sum-of-digits': {
    python: 'def digit_sum(n):\n    return sum(map(int, str(n)))',
    javascript: 'const digit_sum = (n) => [...String(n)].reduce((sum, digit) => sum + Number(digit), 0);',
  },
  'second-largest': {
    python: 'def second_largest(numbers):\n    return sorted(set(numbers))[-2]',
    javascript: 'const second_largest = (numbers) => [...new Set(numbers)].sort((a, b) => b - a)[1];',
  },
  'two-sum': {
    python: 'def two_sum(numbers, target):\n    for i in range(len(numbers)):\n        for j in range(i + 1, len(numbers)):\n            if numbers[i] + numbers[j] == target:\n                return [i, j]',
    javascript: 'function two_sum(numbers, target) {\n  for (let i = 0; i < numbers.length; i++) for (let j = i + 1; j < numbers.length; j++) if (numbers[i] + numbers[j] === target) return [i, j];\n}',
  },
  'balanced-brackets': {
    python: 'pairs = {")": "(", "]": "[", "}": "{"}\nstack = []\nok = True\nfor one in input().strip():\n    if one in pairs:\n        ok = ok and bool(stack) and stack.pop() == pairs[one]\n    else:\n        stack.append(one)\nprint("yes" if ok and not stack else "no")',
    javascript: 'let text = readline().trim();\nfor (let before = ""; before !== text; ) {\n  before = text;\n  text = text.replace(/\\(\\)|\\[\\]|\\{\\}/g, "");\n}\nconsole.log(text === "" ? "yes" : "no");',
  },
  'run-lengths': {
    python: 'from itertools import groupby\ndef run_lengths(text):\n    return "".join(letter + str(len(list(run))) for letter, run in groupby(text))',
    javascript: 'const run_lengths = (text) => text.replace(/(.)\\1*/g, (run, letter) => letter + run.length);',
  },
  'binary-number': {
    python: 'def to_binary(n):\n    return bin(n)[2:]',
    javascript: 'const to_binary = (n) => n.toString(2);',
  },
  'transpose-table': {
    python: 'def transpose(table):\n    return [list(column) for column in zip(*table)]',
    javascript: 'const transpose = (table) => table[0].map((_, k) => table.map((row) => row[k]));',
  },
  'merge-sorted': {
    python: 'def merge(left, right):\n    return sorted(left + right)',
    javascript: 'const merge = (left, right) => [...left, ...right].sort((a, b) => a - b);',
  },
  'word-count': {
    python: 'from collections import Counter\ndef word_count(text):\n    return dict(Counter(text.split()))',
    javascript: 'function word_count(text) {\n  const counts = {};\n  for (const word of text.split(" ").filter(Boolean)) counts[word] = (counts[word] ?? 0) + 1;\n  return counts;\n}',
  },
  'caesar-shift': {
    python: 'k = int(input())\nprint("".join(chr((ord(c) - 97 + k) % 26 + 97) if "a" <= c <= "z" else c for c in input()))',
    javascript: 'const k = Number(readline());\nconsole.log(readline().replace(/[a-z]/g, (c) => String.fromCharCode(((c.charCodeAt(0) - 97 + k) % 26) + 97)));',
  },
  staircase: {
    python: 'for k in range(int(input())):\n    print("#" * (k + 1))',
    javascript: 'const n = Number(readline());\nfor (let k = 1; k <= n; k++) console.log("#".repeat(k));',
  },
  'average-of-list': {
    python: 'numbers = list(map(int, input().split()))\nprint(f"{sum(numbers) / len(numbers):.2f}")',
    javascript: 'const numbers = readline().split(" ").map(Number);\nconsole.log((numbers.reduce((a, b) => a + b, 0) / numbers.length).toFixed(2));',
  },
  'collatz-steps': {
    python: 'def collatz(n):\n    steps = 0\n    while n != 1:\n        n = 3 * n + 1 if n % 2 else n // 2\n        steps += 1\n    return steps',
    javascript: 'const collatz = (n) => (n === 1 ? 0 : 1 + collatz(n % 2 ? 3 * n + 1 : n / 2));',
  },
  'leap-year': {
    python: 'def is_leap(year):\n    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)',
    javascript: 'const is_leap = (year) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);',
  },
};
