/**
 * Reads answers of the API server's reviews. A field of the wrong type is an error, as for upstream's decoder: access
 * must not depend on what JavaScript considers truthy.
 */
import type { User } from "./user.ts";

/** A token's user, or why the API server knows none. */
export interface Holder {
  readonly user?: User;
  readonly error?: string;
}

/** The API server's decision about a request. */
export interface Verdict {
  readonly isAllowed: boolean;
  readonly reason: string;
}

/**
 * Reads the status of a TokenReview.
 *
 * @throws {TypeError} If a field has the wrong type.
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
 * @throws {TypeError} If a field has the wrong type.
 */
export function verdictIn(status: unknown): Verdict {
  const fields = fieldsOf(status, { allowed: isBoolean, denied: isBoolean, reason: isText });
  return { isAllowed: fields.allowed === true && fields.denied !== true, reason: String(fields.reason ?? "") };
}

type Check = (value: unknown) => boolean;

/** The fields of `value` by name, without absent ones and `null`. */
function fieldsOf(value: unknown, checks: Readonly<Record<string, Check>>): Readonly<Record<string, unknown>> {
  if (!isRecord(value ?? {})) throw new TypeError("Cannot read the API server's review: a part of it is not an object");
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
