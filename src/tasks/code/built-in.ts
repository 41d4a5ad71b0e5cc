/** Small problems of the project's own, so that there is something to train on without a connection. */
import type { CodeProblem } from './formats.ts';
import type { CodeTest } from './run-tests.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A function's tests: arguments, then the result. */
function calls(name: string, ...tests: readonly (readonly [args: readonly Json[], expected: Json])[]): CodeTest[] {
  return tests.map(([args, expected]) => ({ kind: 'call', name, args: JSON.stringify(args), expected: [JSON.stringify(expected)] }));
}

/** A program's tests: what it reads, then what it prints. */
function prints(...tests: readonly (readonly [input: string, output: string])[]): CodeTest[] {
  return tests.map(([input, output]) => ({ kind: 'stdin', input: `${input}\n`, output: `${output}\n` }));
}

/** By name. Every text says all that its tests ask for. */
export const BUILT_IN: Readonly<Record<string, CodeProblem>> = {
  'sum-of-two': {
    question: 'Read two whole numbers from one line and print their sum.',
    tests: prints(['3 4', '7'], ['-5 5', '0'], ['1000000 2000000', '3000000'], ['0 0', '0']),
  },
  'largest-of-list': {
    question: 'The first line has a number n, the second line n whole numbers. Print the largest of them.',
    tests: prints(['3\n4 9 2', '9'], ['1\n-7', '-7'], ['5\n-3 -1 -2 -8 -9', '-1'], ['4\n5 5 5 5', '5']),
  },
  'count-vowels': {
    question: 'Write a function count_vowels(text) that returns how many of the letters a, e, i, o and u are in the text, capital letters too.',
    tests: calls('count_vowels', [['hello'], 2], [['AEIOU'], 5], [['rhythm'], 0], [[''], 0], [['Programming is fun'], 5]),
  },
  'reverse-words': {
    question: 'Read a line of words separated by single spaces and print the words in the opposite order, separated by single spaces.',
    tests: prints(['one two three', 'three two one'], ['word', 'word'], ['a b', 'b a']),
  },
  'is-palindrome': {
    question: 'Write a function is_palindrome(text) that returns true if the text reads the same backwards, and false if not. Every character counts.',
    tests: calls('is_palindrome', [['level'], true], [['levels'], false], [[''], true], [['ab'], false], [['a b a'], true]),
  },
  factorial: {
    question: 'Write a function factorial(n) that returns 1 · 2 · … · n; for n = 0 it returns 1.',
    tests: calls('factorial', [[0], 1], [[1], 1], [[5], 120], [[10], 3628800]),
  },
  fibonacci: {
    question: 'The Fibonacci numbers begin with 0 and 1, and each later one is the sum of the two before it. Read n and print the first n of them in one line, separated by spaces.',
    tests: prints(['1', '0'], ['2', '0 1'], ['7', '0 1 1 2 3 5 8'], ['12', '0 1 1 2 3 5 8 13 21 34 55 89']),
  },
  'fizz-buzz': {
    question: 'Read n. For every number from 1 to n print a line: Fizz if 3 divides it, Buzz if 5 divides it, FizzBuzz if both do, and otherwise the number.',
    tests: prints(['1', '1'], ['5', '1\n2\nFizz\n4\nBuzz'], ['15', '1\n2\nFizz\n4\nBuzz\nFizz\n7\n8\nFizz\nBuzz\n11\nFizz\n13\n14\nFizzBuzz']),
  },
  'is-prime': {
    question: 'Write a function is_prime(n) that returns true if the whole number n is a prime number and false if not.',
    tests: calls('is_prime', [[2], true], [[1], false], [[0], false], [[17], true], [[91], false], [[7919], true]),
  },
  'greatest-common-divisor': {
    question: 'Read two positive whole numbers from one line and print the greatest number that divides both.',
    tests: prints(['12 18', '6'], ['7 13', '1'], ['100 10', '10'], ['270 192', '6']),
  },
  'sum-of-digits': {
    question: 'Write a function digit_sum(n) that returns the sum of the decimal digits of the whole number n, which is not negative.',
    tests: calls('digit_sum', [[0], 0], [[9], 9], [[123], 6], [[90909], 27]),
  },
  'second-largest': {
    question: 'Write a function second_largest(numbers) that returns the second largest of the different numbers in the list; there are at least two different ones.',
    tests: calls('second_largest', [[[1, 2]], 1], [[[5, 5, 4]], 4], [[[-1, -2, -3]], -2], [[[10, 3, 10, 9, 3]], 9]),
  },
  'two-sum': {
    question: 'Write a function two_sum(numbers, target) that returns the list of the positions [i, j], with i < j and counted from 0, of the two numbers in the list whose sum is the target. There is exactly one such pair.',
    tests: calls('two_sum', [[[2, 7, 11, 15], 9], [0, 1]], [[[3, 2, 4], 6], [1, 2]], [[[3, 3], 6], [0, 1]], [[[1, 4, -2, 8], 6], [2, 3]]),
  },
  'balanced-brackets': {
    question: 'Read a line of the brackets ( ) [ ] { } and print yes if each one that is opened is closed by its own kind in the right order, and no if not.',
    tests: prints(['()', 'yes'], ['([]{})', 'yes'], ['(]', 'no'], ['(()', 'no'], [')(', 'no'], ['{[()()]}', 'yes']),
  },
  'run-lengths': {
    question: 'Write a function run_lengths(text) that replaces every run of the same letter by the letter and how often it stands there: "aaab" becomes "a3b1". The empty text stays empty.',
    tests: calls('run_lengths', [['aaab'], 'a3b1'], [['abc'], 'a1b1c1'], [[''], ''], [['zzzzzzzzzzzz'], 'z12'], [['aabbaa'], 'a2b2a2']),
  },
  'binary-number': {
    question: 'Write a function to_binary(n) that returns the whole number n, which is not negative, as a text of binary digits without zeros in front; for 0 it returns "0".',
    tests: calls('to_binary', [[0], '0'], [[1], '1'], [[6], '110'], [[255], '11111111']),
  },
  'transpose-table': {
    question: 'Write a function transpose(table) that takes a list of rows of equal length and returns the list of columns.',
    tests: calls('transpose', [[[[1, 2], [3, 4]]], [[1, 3], [2, 4]]], [[[[1, 2, 3]]], [[1], [2], [3]]], [[[[5]]], [[5]]]),
  },
  'merge-sorted': {
    question: 'Write a function merge(left, right) that takes two sorted lists of numbers and returns one sorted list of all of them.',
    tests: calls('merge', [[[1, 3], [2, 4]], [1, 2, 3, 4]], [[[], [1]], [1]], [[[], []], []], [[[1, 1], [1]], [1, 1, 1]], [[[-5, 0], [-6, 9]], [-6, -5, 0, 9]]),
  },
  'word-count': {
    question: 'Write a function word_count(text) that takes a text of words separated by single spaces and returns how often each word occurs, by the word; no words for the empty text.',
    tests: calls('word_count', [['a b a'], { a: 2, b: 1 }], [['one'], { one: 1 }], [[''], {}], [['x x x'], { x: 3 }]),
  },
  'caesar-shift': {
    question: 'The first line has a number k from 0 to 25, the second line a text. Print the text with each small letter replaced by the one k places later in the alphabet, going on at a after z; all else stays.',
    tests: prints(['3\nabc xyz', 'def abc'], ['0\nhello', 'hello'], ['13\nuryyb, jbeyq!', 'hello, world!'], ['1\nAzA', 'AaA']),
  },
  staircase: {
    question: 'Read n and print n lines: the first with one #, the next with two, and so on up to n.',
    tests: prints(['1', '#'], ['3', '#\n##\n###'], ['5', '#\n##\n###\n####\n#####']),
  },
  'average-of-list': {
    question: 'Read whole numbers from one line and print their average with exactly two digits after the point.',
    tests: prints(['1 2', '1.50'], ['10', '10.00'], ['1 1 2', '1.33'], ['-3 3', '0.00']),
  },
  'collatz-steps': {
    question: 'Take a positive whole number: halve it if it is even, otherwise multiply it by 3 and add 1; go on until it is 1. Write a function collatz(n) that returns how many steps that takes.',
    tests: calls('collatz', [[1], 0], [[2], 1], [[6], 8], [[27], 111]),
  },
  'leap-year': {
    question: 'A year is a leap year if 4 divides it, but not if 100 does, unless 400 does too. Write a function is_leap(year) that returns true or false.',
    tests: calls('is_leap', [[2024], true], [[2023], false], [[1900], false], [[2000], true]),
  },
};
