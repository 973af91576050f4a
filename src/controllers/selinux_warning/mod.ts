import { defineController } from "../running/mod.ts";

/** Warns of pods that use a volume with different SELinux labels. Not implemented yet. Upstream: `pkg/controller/volume/selinuxwarning`. */
export const SELINUX_WARNING_CONTROLLER = defineController({
  name: "selinux-warning-controller",
  gates: ["SELinuxChangePolicy"],
  enabledByDefault: false,
});
