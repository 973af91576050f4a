import { assert, assertMatch } from "@std/assert";
import { managerUsage } from "../../../src/cli/usage.ts";
import { CONTROLLERS } from "../../../src/controllers/mod.ts";
import { flagsOf, KUBE_CONTROLLER_MANAGER } from "../../../src/manager/mod.ts";

const LINES = managerUsage(KUBE_CONTROLLER_MANAGER).split("\n");
const lineOf = (name: string) => LINES.find((line) => new RegExp(`^ +(-\\w, )?--${name}( |$)`).test(line)) ?? "";

Deno.test("managerUsage says of every flag what it does", () => {
  const shown = flagsOf(KUBE_CONTROLLER_MANAGER).filter(({ isHidden }) => !isHidden);
  for (const { name, usage = "" } of shown) assert(usage !== "" && lineOf(name).includes(usage), name);
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
  assert(absent.includes("cloud-node-controller") || absent.includes("service-lb-controller"));
});
