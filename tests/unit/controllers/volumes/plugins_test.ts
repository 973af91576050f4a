import { assertEquals, assertThrows } from "@std/assert";
import type { PersistentVolumeClaim, PersistentVolumeSpec } from "../../../../src/api/mod.ts";
import {
  attachmentName,
  CSI_PLUGIN,
  FC_PLUGIN,
  HOST_PATH_PLUGIN,
  ISCSI_PLUGIN,
  isMultiAttachAllowed,
  NFS_PLUGIN,
  PluginLookupError,
  specName,
  splitUniqueVolumeName,
  statesStorageClass,
  uniqueVolumeName,
  volumeModeOf,
  VolumePlugins,
  type VolumeSpec,
} from "../../../../src/controllers/volumes/mod.ts";
import { wantedVolume } from "../../../../src/controllers/persistentvolume_attach_detach/pod_volumes.ts";
import { storageClassOf } from "../../../../src/rules/mod.ts";

const volume = (spec: PersistentVolumeSpec): VolumeSpec => ({
  from: "volume",
  persistentVolume: { metadata: { name: "pv1" }, spec },
  readOnly: false,
});

const inline = (source: object): VolumeSpec => ({ from: "pod", volume: { name: "data", ...source } });

const ALL = [
  HOST_PATH_PLUGIN,
  NFS_PLUGIN,
  FC_PLUGIN,
  ISCSI_PLUGIN,
  CSI_PLUGIN,
];
const plugins = new VolumePlugins(ALL);

/** What a volume is, and what it is called in the cluster. */
const NAMES: ReadonlyArray<readonly [what: string, source: PersistentVolumeSpec, name: string]> = [
  ["csi", { csi: { driver: "d.example", volumeHandle: "h/1^2" } }, "kubernetes.io/csi/d.example^h/1^2"],
  ["iscsi", { iscsi: { targetPortal: "10.0.0.1", iqn: "iqn.x:y", lun: 0 } }, "kubernetes.io/iscsi/10.0.0.1:iqn.x:y:0"],
  ["fc by names", { fc: { targetWWNs: ["a", "b"], lun: 0 } }, "kubernetes.io/fc/[a b]:0"],
  ["fc by identifiers", { fc: { wwids: ["a", "b"] } }, "kubernetes.io/fc/[a b]"],
  ["fc by names without a unit", { fc: { targetWWNs: ["a"], wwids: ["b"] } }, "kubernetes.io/fc/[b]"],
  ["nfs", { nfs: { server: "s", path: "/p" } }, "kubernetes.io/nfs/s//p"],
  ["host path", { hostPath: { path: "/p" } }, "kubernetes.io/host-path//p"],
];

for (const [what, source, name] of NAMES) {
  Deno.test(`uniqueVolumeName of ${what}`, () => {
    const spec = volume(source);
    const plugin = plugins.bySpec(spec);
    assertEquals(uniqueVolumeName(plugin, spec), name);
    const { pluginName, volumeName } = splitUniqueVolumeName(name);
    assertEquals([pluginName, volumeName], [plugin.name, plugin.volumeName(spec)]);
  });
}

Deno.test("uniqueVolumeName fails for a volume that cannot be told from others", () => {
  const spec = volume({ fc: { targetWWNs: ["a"] } });
  assertThrows(() => uniqueVolumeName(FC_PLUGIN, spec), Error, 'for volumeSpec "pv1"');
});

Deno.test("splitUniqueVolumeName fails for fewer than three parts", () => {
  for (const name of ["", "a", "a/b"]) {
    assertThrows(() => splitUniqueVolumeName(name), Error, `cannot split volume unique name ${name} to plugin/volume`);
  }
  assertEquals(splitUniqueVolumeName("a//b"), { pluginName: "a/", volumeName: "b" });
});

Deno.test("attachmentName is a digest of handle, driver and node without anything between them", () => {
  const name = "csi-ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; // SHA-256 of "abc"
  assertEquals(attachmentName({ volumeHandle: "a", driver: "b", nodeName: "c" }), name);
});

Deno.test("VolumePlugins finds a plug-in by spec or name, and says what is wrong otherwise", () => {
  const twins = new VolumePlugins([NFS_PLUGIN, { ...FC_PLUGIN, supports: () => true }]);
  const nfs = volume({ nfs: { server: "s", path: "/p" } });
  assertEquals(plugins.bySpec(nfs, "recycles").name, "kubernetes.io/nfs");
  assertEquals(plugins.byName("kubernetes.io/nfs").name, "kubernetes.io/nfs");
  const failures: [() => unknown, string][] = [
    [() => plugins.bySpec(volume({ local: { path: "/p" } })), "no volume plugin matched"],
    [() => plugins.bySpec(volume({ flexVolume: { driver: "acme/other" } })), "no volume plugin matched"],
    [() => plugins.bySpec(inline({ emptyDir: {} })), "no volume plugin matched"],
    [() => twins.bySpec(nfs), "multiple volume plugins matched: kubernetes.io/nfs,kubernetes.io/fc"],
    [() => plugins.bySpec(nfs, "deletes"), "no deletable volume plugin matched"],
    [() => plugins.bySpec(nfs, "provisions"), "no provisionable volume plugin matched"],
    [() => plugins.bySpec(volume({ fc: {} }), "recycles"), "no recyclable volume plugin matched"],
    [() => plugins.byName("kubernetes.io/rbd"), "no volume plugin matched name: kubernetes.io/rbd"],
    [() => plugins.byName("kubernetes.io/csi", "provisions"), "no provisionable volume plugin matched"],
  ];
  for (const [find, message] of failures) assertEquals(assertThrows(find, PluginLookupError).message, message);
});

Deno.test("VolumePlugins looks at what there is whenever it is asked", () => {
  const drivers = [{ ...NFS_PLUGIN, name: "acme/disk" }];
  const changing = new VolumePlugins(() => drivers);
  assertEquals(changing.byName("acme/disk"), drivers[0]);
  drivers.pop();
  assertThrows(() => changing.byName("acme/disk"), PluginLookupError);
});

Deno.test("plug-ins can do what the controller manager's can", () => {
  const abilities = ALL.map((plugin) => [
    plugin.name,
    plugin.provisions,
    plugin.deletes,
    plugin.recycles,
    plugin.attaches,
    plugin.expands,
    plugin.mountsWithSeLinux,
  ]);
  assertEquals(abilities, [
    ["kubernetes.io/host-path", true, true, true, false, false, false],
    ["kubernetes.io/nfs", false, false, true, false, false, false],
    ["kubernetes.io/fc", false, false, false, true, false, true],
    ["kubernetes.io/iscsi", false, false, false, true, false, true],
    ["kubernetes.io/csi", false, false, false, true, false, "by driver"],
  ]);
});

Deno.test("isMultiAttachAllowed unless it is known that it is not", () => {
  const modes = (...accessModes: string[]) => volume({ accessModes });
  const verdicts = [
    undefined,
    inline({ azureDisk: { diskURI: "u", diskName: "d" } }),
    inline({ cinder: { volumeID: "v" } }),
    inline({ iscsi: {} }),
    volume({}),
    modes(),
    modes("ReadWriteOnce"),
    modes("ReadWriteOncePod"),
    modes("ReadWriteOnce", "ReadOnlyMany"),
    modes("ReadWriteMany"),
  ].map(isMultiAttachAllowed);
  assertEquals(verdicts, [true, false, false, true, true, true, false, false, true, true]);
});

Deno.test("specName is that of the PersistentVolume or of the pod's volume", () => {
  assertEquals([specName(volume({})), specName(inline({}))], ["pv1", "data"]);
});

Deno.test("storageClassOf and statesStorageClass: an annotation comes before the field, also if it is empty", () => {
  const claim = (storageClassName?: string, annotation?: string): PersistentVolumeClaim => ({
    metadata: {
      annotations: annotation === undefined ? {} : { "volume.beta.kubernetes.io/storage-class": annotation },
    },
    spec: { storageClassName },
  });
  const claims = [claim(), claim(""), claim("a"), claim("a", ""), claim("a", "b")];
  assertEquals(claims.map(storageClassOf), ["", "", "a", "", "b"]);
  assertEquals(claims.map(statesStorageClass), [false, true, true, true, true]);
});

Deno.test("volumeModeOf takes none stated for a file system", () => {
  assertEquals([undefined, {}, { volumeMode: "Block" }].map(volumeModeOf), ["Filesystem", "Filesystem", "Block"]);
});

Deno.test("VolumePlugins.find gives the only plug-in of a volume, and nothing where there is none or several", () => {
  const nfs = volume({ nfs: { server: "s", path: "/p" } });
  const twins = new VolumePlugins([NFS_PLUGIN, { ...FC_PLUGIN, supports: () => true }]);
  assertEquals(plugins.find(nfs), NFS_PLUGIN);
  assertEquals(plugins.find(inline({ configMap: { name: "c" } })), undefined);
  assertEquals(twins.find(nfs), undefined);
});

Deno.test("wantedVolume makes no error of volumes that cannot be attached, which most are", () => {
  let asked = 0;
  const counting = Object.assign(new VolumePlugins(ALL), {
    bySpec: () => {
      asked++;
      throw new PluginLookupError("no volume plugin matched");
    },
  });
  const volumes = [{ name: "a", configMap: { name: "c" } }, { name: "b", emptyDir: {} }, { name: "c", projected: {} }];
  const nothing = { get: () => undefined };
  const context = { plugins: counting, drivers: nothing, claims: nothing, volumes: nothing };
  const pod = { metadata: { namespace: "n", name: "p" }, spec: { containers: [], volumes } };
  const wanted = volumes.map((volume) => wantedVolume(pod, volume, context));
  assertEquals([wanted, asked], [[undefined, undefined, undefined], 0]);
});
