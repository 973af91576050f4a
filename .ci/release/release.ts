// deno-lint-ignore-file no-console -- it is there to print
/** Makes `dist/` with all that is published: `deno task release`. */
import { VERSION } from "../../src/api/mod.ts";
import { compile, REPOSITORY } from "./compile.ts";
import { notices } from "./notices.ts";
import { run, sha256 } from "./programs.ts";
import { replaceFolder } from "./replace_folder.ts";
import { sbom } from "./sbom.ts";

/** Deno puts this between the base runtime and what it adds. */
const MAGIC = new TextEncoder().encode("d3n0l4nd");

/** SHA-256 of the base runtime that `executable` begins with; `undefined` where it does not end in the known way. */
async function baseRuntime(executable: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  const [first] = MAGIC;
  for (let at = executable.lastIndexOf(first); at > 0; at = executable.lastIndexOf(first, at - 1)) {
    // A length follows, then JSON: the same bytes are part of the runtime's own code too.
    const isHere = executable[at + MAGIC.length + 8] === 0x7b && MAGIC.every((byte, i) => executable[at + i] === byte);
    if (isHere) return await sha256(executable.subarray(0, at));
  }
  return undefined;
}

/** The manifests as an archive whose bytes depend on nothing but theirs. */
async function archiveManifests(output: string, date: string): Promise<void> {
  await run("tar", [
    "--create",
    "--sort=name",
    `--mtime=${date}`,
    "--owner=0",
    "--group=0",
    "--numeric-owner",
    "--mode=u=rw,go=r,a+X",
    "--format=ustar",
    "--use-compress-program=gzip --no-name",
    `--file=${output}`,
    "manifests",
  ], { cwd: REPOSITORY });
}

async function release(folder: string): Promise<void> {
  const { build, packages, imported } = await compile({ output: `${folder}/kubeloop` });
  const executable = await Deno.readFile(`${folder}/kubeloop`);
  const { deno, v8 } = Deno.version;
  const document = sbom({
    version: VERSION,
    ...build,
    executable: await sha256(executable),
    packages,
    imported,
    runtime: {
      deno,
      v8,
      target: Deno.build.target,
      sha256: await baseRuntime(executable),
      isGiven: (Deno.env.get("DENORT_BIN") ?? "") !== "",
    },
  });
  await Deno.writeTextFile(`${folder}/kubeloop.spdx.json`, JSON.stringify(document, null, 2) + "\n");
  await Deno.writeTextFile(`${folder}/THIRD_PARTY_NOTICES.txt`, notices(packages.values(), deno));
  await Deno.copyFile(`${REPOSITORY}/LICENSE`, `${folder}/LICENSE`);
  await archiveManifests(`${folder}/kubeloop-manifests.tar.gz`, build.date);
  await writeSums(folder);
}

async function writeSums(folder: string): Promise<void> {
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  const lines: string[] = [];
  for (const name of names) {
    const bytes = await Deno.readFile(`${folder}/${name}`);
    lines.push(`${await sha256(bytes)}  ${name}\n`);
    console.log(`${(bytes.length / 1024).toFixed(0).padStart(9)} KiB  dist/${name}`);
  }
  await Deno.writeTextFile(`${folder}/SHA256SUMS`, lines.join(""));
}

await replaceFolder(`${REPOSITORY}/dist`, release);
