/**
 * Runs the cluster tests as `deno test` does: those that take longest first, so that none of them is left over at the end, and those
 * that look at times and loads behind all others, in few rows.
 *
 *     deno run --allow-all tests/cluster/run.ts
 */
import { join, toFileUrl } from "@std/path";

/** Those that take longest, the longest first. `.ci/slowest_files` prints them behind a run of the gate. */
const LONGEST = [
  "node_lifecycle",
  "crash_safety_of_nodes",
  "durability",
  "parity",
  "autoscaling",
  "outages",
  "kubectl_embedded",
  "storage_versions",
  "service_families",
  "tokens",
  "quota",
];

/** Those that look at times and loads, in rows that take about equally long. */
const BEHIND = [
  ["failover"],
  ["group_leak", "group_crash", "wire_faults"],
  ["group_freeze", "scale"],
  ["election", "group_end"],
];

/** For upstream's programs: a quarter of the usual collections. With none, fresh pages would take more time than those. */
const WITH_RARE_COLLECTIONS = { GOGC: "400" };

/** The rest goes into modules of so many files: each loads the program anew, and starts a control plane, which takes some seconds. */
const FILES_OF_A_MODULE = 4;

const FOLDER = import.meta.dirname!;

const path = (name: string) => join(FOLDER, `${name}_test.ts`);

async function test(files: readonly string[], flags: readonly string[], jobs: Record<string, string> = {}) {
  const env = { ...WITH_RARE_COLLECTIONS, ...jobs };
  const config = join(FOLDER, "../../deno.json");
  const args = ["test", `--config=${config}`, "--no-check", "--allow-all", ...flags, ...files];
  const { code } = await new Deno.Command(Deno.execPath(), { args, env, stdin: "null" }).spawn().status;
  if (code !== 0) Deno.exitCode = code;
}

/** Deals tests out to groups of a few. */
function deal(names: readonly string[]): string[][] {
  const count = Math.ceil(names.length / FILES_OF_A_MODULE);
  return Array.from({ length: count }, (_, at) => names.filter((_, index) => index % count === at));
}

/** Writes a module for each group; they run in the order of their names. */
async function writeModules(groups: readonly (readonly string[])[]): Promise<string[]> {
  const folder = await Deno.makeTempDir({ dir: parent });
  const modules: string[] = [];
  for (const [at, names] of groups.entries()) {
    const module = join(folder, `${String(at + 1).padStart(3, "0")}_test.ts`);
    const imports = names.map((name) => `import ${JSON.stringify(toFileUrl(path(name)).href)};\n`);
    await Deno.writeTextFile(module, imports.join(""));
    modules.push(module);
  }
  return modules;
}

const names = Array.from(Deno.readDirSync(FOLDER), ({ name }) => /^(.*)_test\.ts$/.exec(name)?.[1] ?? "")
  .filter((name) => name !== "").sort();
const named = [...LONGEST, ...BEHIND.flat()];
for (const name of named) if (!names.includes(name)) throw new Error(`there is no ${path(name)}`);
const others = deal(names.filter((name) => !named.includes(name)));
const parent = await Deno.makeTempDir({ prefix: "kubeloop-tests-" });
try {
  await test(await writeModules([...LONGEST.map((name) => [name]), ...others]), ["--parallel"]);
  await test(await writeModules(BEHIND), ["--parallel", "--v8-flags=--expose-gc"], { DENO_JOBS: `${BEHIND.length}` });
} finally {
  await Deno.remove(parent, { recursive: true });
}
