import type { Probe } from "./probe.ts";

/** Part of an object, as a case writes it. */
export type Fields = Readonly<Record<string, unknown>>;

export function post(path: string, body: unknown, more: Partial<Probe> = {}): Probe {
  return { method: "POST", path, body, ...more };
}

/** A merge patch. */
export function merge(path: string, body: unknown, more: Partial<Probe> = {}): Probe {
  return { method: "PATCH", path, body, type: "application/merge-patch+json", ...more };
}

export function remove(path: string): Probe {
  return { method: "DELETE", path };
}

/** Repeats a creation that stores nothing until it comes out as it will: kube-apiserver's caches lag behind. */
export function waitFor(path: string, body: unknown, until: NonNullable<Probe["until"]>): Probe {
  return post(`${path}?dryRun=All`, body, { isSetup: true, until });
}

export function isRefused(answer: unknown): boolean {
  return (answer as { code?: number }).code === 403;
}

/** Whether the answer has the text somewhere. */
export function has(text: string): (answer: unknown) => boolean {
  return (answer) => JSON.stringify(answer).includes(text);
}
