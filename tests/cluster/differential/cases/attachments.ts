/** Volumes that are to be attached to nodes: what is refused, kept, and told of them. */
import { get, put } from "../bodies.ts";
import type { DifferentialCase } from "../probe.ts";
import { type Fields, merge, post, remove } from "../requests.ts";

const ATTACHMENTS = "/apis/storage.k8s.io/v1/volumeattachments";
const AT = `${ATTACHMENTS}/{ns}`;

const SPEC = { attacher: "csi.example.com", nodeName: "n", source: { persistentVolumeName: "v" } };
const attachment = (spec: unknown = SPEC, more: Fields = {}) => ({ metadata: { name: "{ns}" }, spec, ...more });
const tried = (more: Fields) => post(`${ATTACHMENTS}?dryRun=All`, attachment({ ...SPEC, ...more }));
const CSI = { driver: "csi.example.com", volumeHandle: "h" };
const inline = (more: Fields) =>
  tried({
    source: { inlineVolumeSpec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, csi: CSI, ...more } },
  });
const status = (body: unknown) => merge(`${AT}/status`, { status: body });
const EARLY = "2026-01-01T00:00:00Z";

export const CASES: readonly DifferentialCase[] = [
  {
    name: "attachments that say nothing sensible",
    probes: [
      post(`${ATTACHMENTS}?dryRun=All`, { metadata: { name: "{ns}" } }),
      post(`${ATTACHMENTS}?dryRun=All`, attachment({})),
      post(`${ATTACHMENTS}?dryRun=All`, { metadata: { name: "{ns} a" }, spec: SPEC }),
      ...[
        {},
        { attacher: "" },
        { attacher: "A_b" },
        { attacher: "Csi.Example.com" },
        { attacher: "a".repeat(64) },
        { nodeName: "" },
        { nodeName: "N n" },
        { nodeName: "n".repeat(254) },
        { source: null },
        { source: {} },
        { source: { persistentVolumeName: "" } },
        { source: { persistentVolumeName: "V v" } },
        { source: { persistentVolumeName: "v".repeat(254) } },
        { source: { persistentVolumeName: 1 } },
        { source: { persistentVolumeName: "v", inlineVolumeSpec: { csi: CSI } } },
        { source: { inlineVolumeSpec: {} } },
        { attacher: "A_b", nodeName: "N n", source: {} },
      ].map(tried),
    ],
  },
  {
    name: "attachments of volumes that are written into them",
    probes: [
      {},
      { csi: null },
      { csi: null, hostPath: { path: "/x" } },
      { csi: { driver: "", volumeHandle: "" } },
      { csi: { driver: "A_b", volumeHandle: "h" } },
      { accessModes: null },
      { capacity: null },
      { accessModes: ["Sometimes"] },
      { csi: { ...CSI, nodePublishSecretRef: { name: "s" } } },
      { hostPath: { path: "/x" } },
      { storageClassName: "S s" },
      { volumeMode: "Tape" },
    ].map(inline),
  },
  {
    name: "attachments keep what they ask for, and begin unattached",
    probes: [
      post(ATTACHMENTS, attachment(SPEC, { status: { attached: true, attachmentMetadata: { a: "b" } } })),
      post(ATTACHMENTS, attachment()),
      merge(AT, { spec: { nodeName: "m" } }),
      merge(AT, { spec: { attacher: "other.example.com" } }),
      merge(AT, { spec: { source: { persistentVolumeName: "w" } } }),
      merge(AT, { metadata: { labels: { a: "b" }, annotations: { "csi.alpha.kubernetes.io/node-id": "n" } } }),
      merge(AT, { status: { attached: true } }),
      put(AT, attachment()),
      get(AT),
      remove(AT),
      get(AT),
    ],
    cleanup: [remove(AT)],
  },
  {
    name: "what attachers tell of attachments",
    probes: [
      post(ATTACHMENTS, attachment()),
      status({ attached: "yes" }),
      status({ attachError: { message: "m".repeat(1025), time: EARLY } }),
      status({ attachError: { message: "no", errorCode: -1 } }),
      status({ attachError: { message: "no", time: "soon" } }),
      status({ attachError: { message: "no", time: EARLY, errorCode: 8 } }),
      status({ attachmentMetadata: { a: "v".repeat(262_144) } }),
      status({ attachmentMetadata: { "": "" } }),
      status({ attached: true, attachmentMetadata: { a: "b" }, attachError: null }),
      status({ attachmentMetadata: { a: null } }),
      status({ detachError: { message: "m".repeat(1025) } }),
      status({ detachError: { message: "still used", time: EARLY } }),
      merge(`${AT}/status`, { metadata: { labels: { c: "d" } }, spec: { nodeName: "m" } }),
      status(null),
      merge(`${AT}/status`, { metadata: { finalizers: ["external-attacher/csi-example-com"] } }),
      merge(AT, { metadata: { finalizers: ["external-attacher/csi-example-com"] } }),
      remove(AT),
      status({ attached: true }),
      merge(AT, { spec: { nodeName: "m" } }),
      merge(AT, { metadata: { finalizers: ["example.com/another", "external-attacher/csi-example-com"] } }),
      merge(AT, { metadata: { finalizers: null } }),
      get(AT),
    ],
    cleanup: [merge(AT, { metadata: { finalizers: null } }), remove(AT)],
  },
];
