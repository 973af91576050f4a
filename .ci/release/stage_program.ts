// deno-lint-ignore-file no-console -- it is there to print
/**
 * Bundles the program as the executable is made of it, for tests that start it often: `stage_program.ts FOLDER` prints its entry.
 * Beside it lies what a test starts hundreds of times.
 */
import { buildOf } from "./build.ts";
import { REPOSITORY } from "./compile.ts";
import { ENTRY, WORKERS } from "./runtime_flags.ts";
import { stage } from "./stage.ts";

const TEST_PROGRAMS = ["tests/sandbox/durability_writer.ts"];

const [scratch] = Deno.args;
await Deno.mkdir(scratch, { recursive: true });
const build = await buildOf(REPOSITORY);
const { folder, entry } = await stage(REPOSITORY, {
  entry: ENTRY,
  workers: [...WORKERS, ...TEST_PROGRAMS],
  scratch,
  build,
});
console.log(`${folder}/${entry}`);
