import { assert, assertEquals, assertMatch } from "@std/assert";
import { managerUsage } from "../../../src/cli/usage.ts";
import { CONTROLLERS } from "../../../src/controllers/mod.ts";
import { FLAG_USAGE, MANAGER_FLAGS } from "../../../src/manager/mod.ts";

const LINES = managerUsage("kube-controller-manager").split("\n");
const lineOf = (name: string) => LINES.find((line) => new RegExp(`^ +(-\\w, )?--${name}( |$)`).test(line)) ?? "";

Deno.test("managerUsage says of every flag what it does", () => {
  const shown = MANAGER_FLAGS.filter(({ isHidden }) => !isHidden).map(({ name }) => name);
  assertEquals(Object.keys(FLAG_USAGE).sort(), shown.toSorted());
  for (const name of shown) assert(lineOf(name).includes(FLAG_USAGE[name]), name);
  assert(lineOf("warm-standby").includes("Fill caches"));
});

Deno.test("managerUsage shows types, defaults, and which flags have no effect", () => {
  assertMatch(lineOf("kube-api-burst"), /--kube-api-burst int32 {3,}How many .* \(default 30\)$/);
  assertMatch(lineOf("cluster-name"), /\(default "kubernetes"\) \[no effect in this version\]$/);
  assertMatch(lineOf("version"), /--version version\[=true\] {3}/);
  assertMatch(lineOf("help"), /^ {2}-h, --help {3,}Print this$/);
});

Deno.test("managerUsage names the controllers", () => {
  assert(LINES.some((line) => /^ +On by default: .*cronjob-controller, daemonset-controller, /.test(line)));
  assert(LINES.some((line) => /^ +Off by default: bootstrap-signer-controller, .*token-cleaner-controller/.test(line)));
  const absent = /^ +Not in this version: (.*)$/m.exec(LINES.join("\n"))![1].split(", ");
  for (const { name } of CONTROLLERS) assert(!absent.includes(name), name);
  assert(absent.includes("endpointslice-controller"));
});
