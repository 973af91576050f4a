import type { DifferentialCase } from "./probe.ts";

/** The areas that have recorded requests: the files in `cases`. */
export async function areas(): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(new URL("cases", import.meta.url))) names.push(name.replace(/\.ts$/, ""));
  return names.sort();
}

/** The recorded requests of an area: what its file exports as `CASES`. */
export async function casesOf(area: string): Promise<readonly DifferentialCase[]> {
  return (await import(`./cases/${area}.ts`)).CASES;
}
