import { objectKey, type PersistentVolumeClaim, type StorageClass } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { storageClassOf } from "../../rules/mod.ts";
import { migratedDriverOf, type VolumePlugin } from "../volumes/mod.ts";
import { withProvisioner } from "./actions.ts";
import { inBackground } from "./background.ts";
import type { BinderContext } from "./context.ts";
import { foundUnlessExternal } from "./external.ts";
import { provisionHostPath } from "./host_path_provisioning.ts";

/** The provisioner of a class: a plug-in in this process, or an external one. */
interface Provisioner {
  readonly storageClass: StorageClass;
  /** Absent where it is outside. */
  readonly plugin?: VolumePlugin;
  /** The CSI driver where that has taken over. */
  readonly name: string;
}

/** Provisions a volume for a claim. Failures are recorded in events. */
export function provision(claim: PersistentVolumeClaim, context: BinderContext): void {
  if (!context.isProvisioning) return;
  let provisioner: Provisioner;
  try {
    provisioner = provisionerFor(claim, context);
  } catch (error) {
    context.recorder.event(claim, "Warning", "ProvisioningFailed", errorText(error));
    return;
  }
  const { storageClass, plugin, name } = provisioner;
  const key = objectKey(claim);
  const work = { name: `provision-${key}[${claim.metadata?.uid}]`, kind: "PersistentVolumeClaim", key };
  inBackground(work, context, async () => {
    context.times.begin(key, "provision", () => name);
    try {
      if (plugin) await provisionHostPath(claim, { storageClass, plugin }, context);
      else await askOutside(claim, name, context);
    } catch (error) {
      context.times.failed(key);
      throw error;
    }
  });
}

/** @throws {Error} If there is no such class, or no plug-in of its name. */
function provisionerFor(
  claim: PersistentVolumeClaim,
  { classes, plugins }: Pick<BinderContext, "classes" | "plugins">,
): Provisioner {
  const className = storageClassOf(claim);
  const storageClass = classes.get(undefined, className);
  if (!storageClass) throw new Error(`storageclass.storage.k8s.io ${JSON.stringify(className)} not found`);
  const { provisioner } = storageClass;
  const driver = migratedDriverOf(provisioner);
  if (driver !== undefined) return { storageClass, name: driver };
  const plugin = foundUnlessExternal(provisioner, () => plugins.byName(provisioner, "provisions"));
  return { storageClass, plugin, name: provisioner };
}

/** Tells a provisioner outside of this process, by annotations, that a claim waits for it. */
async function askOutside(claim: PersistentVolumeClaim, name: string, context: BinderContext): Promise<void> {
  const { recorder } = context;
  let asking;
  try {
    asking = await withProvisioner(claim, name, context);
  } catch (error) {
    recorder.event(claim, "Warning", "ProvisioningFailed", `Error saving claim: ${errorText(error)}`);
    throw error;
  }
  const message =
    `Waiting for a volume to be created either by the external provisioner '${name}' or manually by the ` +
    "system administrator. If volume creation is delayed, please verify that the provisioner is running and " +
    "correctly registered.";
  recorder.event(asking, "Normal", "ExternalProvisioning", message);
}
