/**
 * What kubectl has printed on kube-apiserver: JSON Lines in `recordings/`, a file for each chapter and a line for each that was printed,
 * so that a change can be read. `deno task parity:record` writes them, of those chapters only that have changed.
 */
import { createHash } from "node:crypto";
import { fromFileUrl } from "@std/path";
import { pinnedVersion } from "../../controlplane/binaries.ts";
import { type Chapter, isCompared, type Printed } from "./step.ts";

export const FOLDER = fromFileUrl(new URL("./recordings/", import.meta.url));

type Line =
  | { readonly version: string; readonly chapter: string; readonly source: string }
  | { readonly run: string; readonly exits?: number }
  | { readonly prints: string };

/** The name of the chapter's file. */
export function fileOf({ namespace }: Chapter): string {
  return `${namespace}.jsonl`;
}

/** What was recorded of the chapter as it is, on the version that is pinned; `undefined` if nothing was, or not all of it. */
export async function readRecording(chapter: Chapter): Promise<readonly Printed[] | undefined> {
  const text = await Deno.readTextFile(FOLDER + fileOf(chapter)).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  });
  const [first, ...lines] = text.trimEnd().split("\n");
  if (first !== await headerOf(chapter)) return undefined;
  const recorded: { run: string; exits: number; lines: string[] }[] = [];
  for (const line of lines.map((line) => JSON.parse(line) as Line)) {
    if ("run" in line) recorded.push({ run: line.run, exits: line.exits ?? 0, lines: [] });
    else if ("prints" in line) recorded.at(-1)!.lines.push(line.prints);
  }
  const commands = chapter.steps.filter(isCompared).map(({ run }) => run);
  const isWhole = recorded.length === commands.length && recorded.every(({ run }, i) => run === commands[i]);
  return isWhole ? recorded.map(({ run, exits, lines }) => ({ run, exits, text: lines.join("\n") })) : undefined;
}

export async function writeRecording(chapter: Chapter, printed: readonly Printed[]): Promise<void> {
  const lines = printed.flatMap(({ run, exits, text }): Line[] => [
    { run, ...exits === 0 ? {} : { exits } },
    ...text === "" ? [] : text.split("\n").map((prints) => ({ prints })),
  ]);
  await Deno.mkdir(FOLDER, { recursive: true });
  const all = [await headerOf(chapter), ...lines.map((line) => JSON.stringify(line)), ""];
  await Deno.writeTextFile(FOLDER + fileOf(chapter), all.join("\n"));
}

/** What to do about recordings that are out of date. */
export function howToRecord(chapters: readonly Chapter[]): string {
  const files = chapters.map(fileOf).join(", ");
  return `remove ${files} in tests/cluster/kubectl_embedded/recordings, run \`deno task parity:record\`, and look at what changes`;
}

async function headerOf(chapter: Chapter): Promise<string> {
  const source = createHash("sha256").update(textOf(chapter)).digest("hex").slice(0, 16);
  return JSON.stringify({ version: await pinnedVersion(), chapter: chapter.name, source } satisfies Line);
}

/** All that a chapter consists of; JSON alone knows no regular expressions. */
function textOf(chapter: Chapter): string {
  return JSON.stringify(chapter, (_, value) => value instanceof RegExp ? { pattern: String(value) } : value);
}
