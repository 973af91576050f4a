import { assert, assertMatch } from "@std/assert";
import { managerUsage } from "../../../src/cli/usage.ts";
import { CONTROLLERS } from "../../../src/controllers/mod.ts";
import { CLOUD_CONTROLLER_MANAGER, flagsOf, KUBE_CONTROLLER_MANAGER } from "../../../src/manager/mod.ts";

const LINES = managerUsage(KUBE_CONTROLLER_MANAGER).split("\n");
const lineOf = (name: string) => LINES.find((line) => new RegExp(`^ +(-\\w, )?--${name}( |$)`).test(line)) ?? "";

Deno.test("managerUsage says of every flag what it does", () => {
  const shown = flagsOf(KUBE_CONTROLLER_MANAGER).filter(({ isHidden }) => !isHidden);
  for (const { name, usage = "" } of shown) assert(usage !== "" && lineOf(name).includes(usage), name);
  assert(lineOf("warm-standby").includes("Fill the caches"));
});

Deno.test("managerUsage shows types, defaults, and which flags have no effect", () => {
  assertMatch(lineOf("kube-api-burst"), /--kube-api-burst int32 {3,}Number of requests .* \(default 30\)$/);
  assertMatch(lineOf("cluster-name"), /\(default "kubernetes"\) \[no effect in this version\]$/);
  assertMatch(lineOf("version"), /--version version\[=true\] {3}/);
  assertMatch(lineOf("help"), /^ {2}-h, --help {3,}Print this help$/);
});

Deno.test("managerUsage names the controllers", () => {
  assert(LINES.some((line) => /^ +On by default: .*cronjob-controller, daemonset-controller, /.test(line)));
  assert(LINES.some((line) => /^ +Off by default: bootstrap-signer-controller, .*token-cleaner-controller/.test(line)));
  assert(!LINES.some((line) => line.includes("Not in this version: ")), "all are built, or need a cloud");
  for (const { name, needs } of CONTROLLERS) assert(needs?.cloud || LINES.join("\n").includes(name), name);
});

Deno.test("managerUsage of cloud-controller-manager names its controllers, its flags and what webhooks come to", () => {
  const lines = managerUsage(CLOUD_CONTROLLER_MANAGER).split("\n");
  for (const { name } of flagsOf(CLOUD_CONTROLLER_MANAGER).filter(({ isHidden }) => !isHidden)) {
    assert(lines.some((line) => line.includes(`--${name}`)), name);
  }
  assert(lines.some((line) => /^ +On by default: cloud-node-controller, .*service-lb-controller$/.test(line)));
  assert(lines.some((line) => line.includes("--secure-port int") && line.includes("(default 10258)")));
  assert(lines.some((line) => line.includes("--webhooks strings") && line.includes("hosted by none of the providers")));
  assert(!lines.some((line) => line.includes("--root-ca-file")));
});
