import { defineController } from "../running/mod.ts";
import { buildSeLinuxWarning, COMPONENT, CONFLICTS, NAME } from "./controller.ts";

/** Warns of pods that use a volume with different SELinux labels. Upstream: `pkg/controller/volume/selinuxwarning`. */
export const SELINUX_WARNING_CONTROLLER = defineController({
  name: NAME,
  gates: ["SELinuxChangePolicy"],
  enabledByDefault: false,
  group: "workloads",
  queues: [COMPONENT],
  metrics: [CONFLICTS],
  build: buildSeLinuxWarning,
});
