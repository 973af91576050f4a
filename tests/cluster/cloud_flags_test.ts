/** The command line of cloud-controller-manager beside that of upstream's framework. */
import { assertEquals, assertGreater } from "@std/assert";
import { managerUsage } from "../../src/cli/usage.ts";
import { CLOUD_CONTROLLER_MANAGER } from "../../src/manager/mod.ts";
import { cloudJudge } from "../controlplane/cloud_judge.ts";
import { runProgram } from "../controlplane/run_program.ts";
import { clusterTest } from "./cluster.ts";

/** What upstream calls a map of feature gates, in which a component's name may stand before a gate's. */
const GATES = "colonSeparatedMultimapStringString";

/** Types and defaults by flags' names, as `--help` has them. What is no default, such as an empty list, is none. */
function flagsIn(help: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name, type, text] of help.matchAll(/^ +(?:-\w, )?--([\w-]+)(?: (\S+))? {3,}(.*(?:\n {20,}.*)*)/gm)) {
    const [, standard = ""] = text.match(/\(default (.*?)\)(?: \[[^\]]*\])?$/) ?? [];
    found.set(name, `${type === GATES ? "mapStringBool" : type} ${["[]", "[*]"].includes(standard) ? "" : standard}`);
  }
  return found;
}

clusterTest(
  "cloud-controller-manager has every flag of upstream's framework, of its type and with its default",
  async () => {
    const { stdout } = await runProgram(await cloudJudge(), { args: ["--help"] });
    const theirs = flagsIn(stdout);
    assertGreater(theirs.size, 80);
    const ours = flagsIn(managerUsage(CLOUD_CONTROLLER_MANAGER));
    assertEquals(new Map([...theirs.keys()].map((name) => [name, ours.get(name)])), theirs);
  },
);
