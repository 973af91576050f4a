/** Everything that comes from Kubernetes is of one version: that which `tests/controlplane/go.mod` pins. */
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join, relative } from "@std/path";
import { KUBERNETES_VERSION } from "../../src/api/mod.ts";
import { pinnedVersion } from "../controlplane/binaries.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** The files below `folder` whose names say that they are generated. */
function* generatedFiles(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* generatedFiles(join(folder, name));
    else if (name.startsWith("generated_")) yield join(folder, name);
  }
}

Deno.test("generated files are of the pinned version of Kubernetes", async () => {
  const version = await pinnedVersion();
  const others: string[] = [];
  let count = 0;
  for (const path of generatedFiles(join(ROOT, "src"))) {
    // The beginning names it, and nothing else that looks like it.
    if (/v\d+\.\d+\.\d+/.exec(await Deno.readTextFile(path))?.[0] !== version) others.push(relative(ROOT, path));
    count++;
  }
  assertEquals(others, [], `run \`deno task gen\`: the pinned version is ${version}`);
  assert(count >= 7, `${count} generated files were found`);
});

Deno.test("the modules of Kubernetes are pinned to one version, whose minor is the one that the managers report", async () => {
  const version = await pinnedVersion();
  const text = await Deno.readTextFile(join(ROOT, "tests/controlplane/go.mod"));
  const modules = [...text.matchAll(/(?<![.\w])k8s\.io\/[\w-]+ v0\.[1-9]\d*\.\d+/g)].map(([module]) => module);
  const wanted = version.replace("v1.", "v0.");
  assertEquals(modules.filter((module) => !module.endsWith(` ${wanted}`)), []);
  assert(modules.length > 30, `${modules.length} modules were found`);
  const minorOf = (version: string) => version.split(".").slice(0, 2).join(".");
  assertEquals(minorOf(KUBERNETES_VERSION), minorOf(version));
});
