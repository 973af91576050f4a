import type { CSIDriver, VolumeAttachment } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import { attachmentName, type VolumeSpec } from "../volumes/mod.ts";
import { createAttachment, deleteAttachment, readAttachment, type Writing } from "./actions.ts";
import { needsAttaching } from "./attachable.ts";
import type { AttachmentWatch } from "./attachment_watch.ts";

/** How long an attacher may take. */
const TIMEOUT_MS = 120_000;

/** Attaches the volumes of a plug-in. Upstream: `pkg/volume` (Attacher, Detacher). */
export interface Attacher {
  /** @returns The path of the device on the node, or nothing. */
  attach(spec: VolumeSpec, node: string): Promise<string>;
  /** @param volumeName As the plug-in calls it. */
  detach(volumeName: string, node: string): Promise<void>;
  /**
   * Whether a volume shows as attached although it was not recorded: an attempt may have succeeded after it was given
   * up.
   */
  isSeenAttached(spec: VolumeSpec, node: string): boolean;
  /** Whether a volume still is where it was attached. @throws {Error} If that cannot be found out. */
  isAttached(spec: VolumeSpec, node: string): Promise<boolean>;
}

/** For volumes that nodes reach by themselves. Kubelets still wait for the report that they are attached. */
export const INSTANT_ATTACHER: Attacher = {
  attach: () => Promise.resolve(""),
  detach: () => Promise.resolve(),
  isSeenAttached: () => false,
  isAttached: () => Promise.resolve(true),
};

/** What {@link csiAttacher} works with. */
export interface CsiAttacherContext extends Writing {
  readonly attachments: Pick<Lister<VolumeAttachment>, "get">;
  readonly drivers: Pick<Lister<CSIDriver>, "get">;
  readonly watch: AttachmentWatch;
}

/** Attaches volumes through the attachers of CSI drivers. Upstream: `pkg/volume/csi/csi_attacher.go`. */
export function csiAttacher(context: CsiAttacherContext): Attacher {
  const { attachments, drivers, watch, signal } = context;
  return {
    attach: async (spec, node) => {
      const { persistentVolume, driver, volumeHandle, isInline } = sourceOf(spec);
      const name = attachmentName({ volumeHandle, driver, nodeName: node });
      if (!attachments.get(undefined, name)) {
        try {
          await createAttachment({ name, driver, nodeName: node, persistentVolume, isInline }, context);
        } catch (error) {
          throw new Error(`kubernetes.io/csi: attacher.Attach failed: ${errorText(error)}`, { cause: error });
        }
      }
      if (await watch.until({ name, signal, timeoutMs: TIMEOUT_MS, isOver: isAttached })) return "";
      throw new Error(
        `timed out waiting for external-attacher of ${driver} CSI driver to attach volume ${volumeHandle}`,
      );
    },
    detach: async (volumeName, node) => {
      const [driver, volumeHandle, ...others] = volumeName.split("^");
      if (volumeHandle === undefined || others.length > 0) throw new Error("volumeName missing expected data");
      const name = attachmentName({ volumeHandle, driver, nodeName: node });
      if (await remove(name, context)) return;
      throw new Error(
        `timed out waiting for external-attacher of unknown CSI driver to detach volume ${volumeHandle}`,
      );
    },
    isSeenAttached: (spec, node) => {
      const { driver, volumeHandle } = sourceOf(spec);
      const attachment = attachments.get(undefined, attachmentName({ volumeHandle, driver, nodeName: node }));
      return attachment?.status?.attached === true && !attachment.metadata?.deletionTimestamp;
    },
    isAttached: async (spec, node) => {
      const { driver, volumeHandle } = sourceOf(spec);
      if (!needsAttaching(driver, drivers)) return true;
      const name = attachmentName({ volumeHandle, driver, nodeName: node });
      const attachment = attachments.get(undefined, name) ?? await readAttachment(name, context);
      return attachment?.status?.attached ?? false;
    },
  };
}

function sourceOf(spec: VolumeSpec) {
  const csi = spec.from === "volume" ? spec.persistentVolume.spec?.csi : undefined;
  if (spec.from !== "volume" || !csi) {
    throw new Error(
      "kubernetes.io/csi: attacher.Attach failed to get CSIPersistentVolumeSource: CSIPersistentVolumeSource not defined in spec",
    );
  }
  const { persistentVolume, migrated } = spec;
  return { persistentVolume, driver: csi.driver, volumeHandle: csi.volumeHandle, isInline: migrated === "inline" };
}

/** One that does not show yet will. */
function isAttached(attachment: VolumeAttachment | undefined, isNews: boolean): boolean {
  if (!attachment) return false;
  if (attachment.metadata?.deletionTimestamp) throw new Error("volume attachment is being deleted");
  const { attached, attachError } = attachment.status ?? {};
  if (attached) return true;
  if (attachError && isNews) throw new Error(attachError.message);
  return false;
}

/** @returns Whether it was gone in time. */
async function remove(name: string, context: CsiAttacherContext): Promise<boolean> {
  let lingers: boolean;
  try {
    lingers = await deleteAttachment(name, context) === "lingers";
  } catch (error) {
    const why = `detacher.Detach failed to delete VolumeAttachment [${name}]: ${errorText(error)}`;
    throw new Error(`kubernetes.io/csi: ${why}`, { cause: error });
  }
  return await context.watch.until({
    name,
    signal: context.signal,
    timeoutMs: TIMEOUT_MS,
    isOver: (attachment, isNews) => {
      // One that remains may not be in the cache yet.
      if (!attachment) return isNews || !lingers;
      const { detachError } = attachment.status ?? {};
      if (detachError && isNews) throw new Error(detachError.message);
      return false;
    },
  });
}
