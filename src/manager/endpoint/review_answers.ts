/**
 * What the API server's reviews say. An answer with a field of another type than the API's is an error, as for upstream's
 * decoder: who gets in must not depend on what JavaScript holds to be true.
 */
import type { User } from "./user.ts";

/** Who holds a token; why nobody does where the API server says so. */
export interface Holder {
  readonly user?: User;
  readonly error?: string;
}

/** What the API server says of a wish. */
export interface Verdict {
  readonly isAllowed: boolean;
  readonly reason: string;
}

/**
 * Reads the status of a TokenReview.
 *
 * @throws {TypeError} If a field is of another type than the API's.
 */
export function holderIn(status: unknown): Holder {
  const { authenticated, error, user } = fieldsOf(status, { authenticated: isBoolean, error: isText, user: isRecord });
  if (authenticated !== true) return error ? { error: String(error) } : {};
  const fields = fieldsOf(user, { username: isText, uid: isText, groups: isTexts, extra: isRecordOfTexts });
  const { username = "", uid, groups = [], extra } = fields as Partial<Omit<User, "name">> & { username?: string };
  return { user: { name: username, uid, groups, extra } };
}

/**
 * Reads the status of a SubjectAccessReview.
 *
 * @throws {TypeError} If a field is of another type than the API's.
 */
export function verdictIn(status: unknown): Verdict {
  const fields = fieldsOf(status, { allowed: isBoolean, denied: isBoolean, reason: isText });
  return { isAllowed: fields.allowed === true && fields.denied !== true, reason: String(fields.reason ?? "") };
}

type Check = (value: unknown) => boolean;

/** Fields of `value` by name, absent ones and `null` left out. */
function fieldsOf(value: unknown, checks: Readonly<Record<string, Check>>): Readonly<Record<string, unknown>> {
  if (!isRecord(value ?? {})) throw new TypeError("Cannot read the API server's review: a part of it is no object");
  const fields: Record<string, unknown> = {};
  for (const [name, isSound] of Object.entries(checks)) {
    const field = (value as Readonly<Record<string, unknown>> | undefined)?.[name] ?? undefined;
    if (field === undefined) continue;
    if (!isSound(field)) throw new TypeError(`Cannot read the API server's review: ${name} is of the wrong type`);
    fields[name] = field;
  }
  return fields;
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isRecordOfTexts(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isTexts);
}
