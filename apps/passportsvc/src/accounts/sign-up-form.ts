import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import type { NewAccount } from '../pages/new-account-fields';
import { type Form, textOf } from '../pages/page-reply';
import type { Problems } from '../pages/form';
import type { Texts } from '../pages/texts';
import { NAME_LENGTH, SignUpDto } from '../users/user.dto';
import { PASSWORD_POLICY, passwordIssues } from './passwords';

export const newAccountIn = (form: Form): NewAccount => ({ email: textOf(form['email']).trim(), firstname: textOf(form['firstname']).trim(), lastname: textOf(form['lastname']).trim() });

/** The rules of `POST /accounts`, said in the language of the page. */
export function signUpProblems({ email, firstname, lastname }: NewAccount, password: string, texts: Texts): Problems {
  const dto = plainToInstance(SignUpDto, { _email: email, _password: password, _firstname: firstname, _lastname: lastname });
  const faulty = new Set(validateSync(dto).map(({ property }) => property));
  const tooLong = texts.problems.nameLong(NAME_LENGTH);
  const passwordFault = passwordProblem(password, email, texts);
  return {
    ...(faulty.has('_email') && { email: texts.problems.email }),
    ...(passwordFault !== undefined && { password: passwordFault }),
    ...(faulty.has('_firstname') && { firstname: tooLong }),
    ...(faulty.has('_lastname') && { lastname: tooLong }),
  };
}

export function passwordProblem(password: string, email: string, { problems }: Texts): string | undefined {
  if (passwordIssues(password, 'password', email).length === 0) return undefined;
  const { length } = [...password];
  if (length < PASSWORD_POLICY.minLength) return problems.passwordShort(PASSWORD_POLICY.minLength);
  return length > PASSWORD_POLICY.maxLength ? problems.passwordLong(PASSWORD_POLICY.maxLength) : problems.passwordRefused;
}
