/** One kubectl command and what it has to print. */
export interface Step {
  /** Arguments; those with spaces in quotes. `{name}` stands for something that an earlier step saved. */
  readonly run: string;
  /** Standard input: a text as it is, anything else as JSON. */
  readonly input?: unknown;
  /** Environment, such as the editor. */
  readonly env?: Readonly<Record<string, string>>;
  /** What it has to print, on either output. A text has to be there exactly as lines. */
  readonly prints: Expected | readonly Expected[];
  /** Exit code; 0 by default. */
  readonly exits?: number;
  /** Repeats the command until it prints that, for at most a minute. */
  readonly waits?: boolean;
  /** Keeps what is printed under this name. */
  readonly save?: string;
  /** Why the two servers may print different things; otherwise they must not. */
  readonly differs?: string;
  /** Why kube-apiserver is not asked. */
  readonly embeddedOnly?: string;
}

export type Expected = string | RegExp;

/** Steps that build on each other. */
export interface Chapter {
  readonly name: string;
  /** Made before, with its ServiceAccount; where commands run that name none. */
  readonly namespace: string;
  readonly steps: readonly Step[];
}

/** What kubectl did. */
export interface Result {
  readonly code: number;
  /** Standard output, then standard error. */
  readonly text: string;
}

/** What a step printed where both servers must print the same: {@link normalised}. */
export interface Printed {
  /** As the step has it. */
  readonly run: string;
  readonly exits: number;
  readonly text: string;
}

/** Whether both servers must print the same. */
export function isCompared({ differs, embeddedOnly }: Step): boolean {
  return differs === undefined && embeddedOnly === undefined;
}

/** The arguments in a command line; single and double quotes hold spaces. */
export function argumentsOf(line: string): string[] {
  return [...line.matchAll(/(?:'([^']*)'|"([^"]*)"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double)
  );
}

/** Why the result is not what the step expects; `undefined` if it is. */
export function disappointment(step: Step, { code, text }: Result): string | undefined {
  const { exits = 0, prints } = step;
  if (code !== exits) return `it exits with ${code} instead of ${exits}`;
  const missing = (Array.isArray(prints) ? prints : [prints]).filter((expected) => !isPrinted(expected, text));
  return missing.length === 0 ? undefined : `it does not print ${missing.map(String).join(" and ")}`;
}

function isPrinted(expected: Expected, text: string): boolean {
  if (expected instanceof RegExp) return expected.test(text);
  return `\n${text}\n`.includes(`\n${expected}\n`);
}

/** Turns of phrase that depend on when and where it ran. */
const CHANGING: ReadonlyArray<readonly [pattern: RegExp, instead: string]> = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?/g, "<time>"],
  [/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000/g, "<time>"],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, "<jwt>"],
  [/\b\d+\.\d+\.\d+\.\d+\b/g, "<address>"],
  [/-[0-9a-z]{9,10}-[0-9a-z]{5}\b/g, "-<pod>"],
  [/(kube-api-access-|-)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, "$1<random>"],
  [/((?:resourceVersion|Resource Version|"?nodePort"?|remainingItemCount)"?: *"?)\d+/g, "$1<number>"],
  // kubectl's time was up within a second after its watch began, as it is when the machine is busy.
  [/^[WIE]\d{4} .* err="very short watch: .*\n/gm, ""],
  [/^[WIE]\d{4} \S+ +\d+ \w+\.go:\d+\] /gm, "<log> "],
  [/\b(\d+[ydhms]){1,2}( ago)?(?=\s|$|\))/gm, "<age>"],
  [/\bnode-\d\b/g, "<node>"],
];

/** What is wrong with one field, in words that are free, as the differential test has it. */
const FINDING = /^(.*: (?:Invalid value|Forbidden)): .*$/;

/** What is printed without that on which two right servers may differ; columns are not aligned any more. */
export function normalised(text: string): string {
  const replaced = CHANGING.reduce((result, [pattern, instead]) => result.replace(pattern, instead), text);
  return replaced.split("\n").map((line) => line.replace(/ {2,}|\t+/g, "  ").replace(FINDING, "$1").trimEnd()).join(
    "\n",
  ).trim();
}
