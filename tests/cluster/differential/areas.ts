import type { DifferentialCase } from "./probe.ts";

/** The folders of areas: for servers with their usual features, and with some more. */
export type Folder = "cases" | "gated_cases";

/** The areas that have recorded requests: the files in `folder`. */
export async function areas(folder: Folder = "cases"): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(new URL(folder, import.meta.url))) names.push(name.replace(/\.ts$/, ""));
  return names.sort();
}

/** The recorded requests of an area: what its file exports as `CASES`. */
export async function casesOf(area: string, folder: Folder = "cases"): Promise<readonly DifferentialCase[]> {
  return (await import(`./${folder}/${area}.ts`)).CASES;
}
