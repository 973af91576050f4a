import { errorText } from "../../base/mod.ts";
import type { ControllerFiles } from "../running/mod.ts";
import { OWN_TEMPLATE, type RecyclerOptions, recyclerTemplate } from "./recycler_pod.ts";

/** The flags that name files. */
export const TEMPLATE_FLAGS = {
  nfs: "pv-recycler-pod-template-filepath-nfs",
  hostPath: "pv-recycler-pod-template-filepath-hostpath",
};

/** What the command line says. */
export interface BinderOptions {
  readonly syncPeriodMs: number;
  readonly provisionsHostPaths: boolean;
  readonly isProvisioning: boolean;
  readonly minimumTimeoutNfs: number;
  readonly podTemplateFilepathNfs: string;
  readonly incrementTimeoutNfs: number;
  readonly podTemplateFilepathHostpath: string;
  readonly minimumTimeoutHostpath: number;
  readonly timeoutIncrementHostpath: number;
}

/** @throws {Error} If a file cannot be read, or holds no pod that could recycle a volume. */
export function recyclersOf(options: BinderOptions, files: Pick<ControllerFiles, "text">): RecyclerOptions {
  const template = (flag: string, path: string) =>
    path === "" ? OWN_TEMPLATE : recyclerTemplate(textOf(flag, path), path);
  const { podTemplateFilepathNfs, podTemplateFilepathHostpath } = options;
  return {
    nfs: {
      template: template(TEMPLATE_FLAGS.nfs, podTemplateFilepathNfs),
      minimumSeconds: options.minimumTimeoutNfs,
      secondsPerGi: options.incrementTimeoutNfs,
    },
    hostPath: {
      template: template(TEMPLATE_FLAGS.hostPath, podTemplateFilepathHostpath),
      minimumSeconds: options.minimumTimeoutHostpath,
      secondsPerGi: options.timeoutIncrementHostpath,
    },
  };

  function textOf(flag: string, path: string): string {
    try {
      return files.text(flag);
    } catch (error) {
      throw new Error(`failed to read file path ${path}: ${errorText(error)}`, { cause: error });
    }
  }
}
