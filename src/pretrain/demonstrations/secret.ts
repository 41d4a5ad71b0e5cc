/** Passing a secret digit on. */
import { SECRET_TEAM } from '../../tasks/teams.ts';
import { secretDigit } from '../../tasks/secret.ts';
import { answer, BEHAVIOUR, message, secretMessage } from '../behaviour.ts';
import type { Demonstration } from './demonstration.ts';

const SECRETS = secretDigit();

export const secret: Demonstration = {
  name: 'secret',
  task: () => SECRETS,
  team: () => ({ agents: SECRET_TEAM }),
  say({ problem, name, heard }, phase, random) {
    if (name === 'speaker') return message(problem, random.next() < BEHAVIOUR[phase].works);
    return answer(problem, phase, heard.get('speaker') === secretMessage(problem.answer) ? 'work' : 'skip', random);
  },
};
