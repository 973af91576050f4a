import { assertEquals, assertThrows } from "@std/assert";
import type { PersistentVolume, PersistentVolumeSpec } from "../../../../src/api/mod.ts";
import type { PodVolume } from "../../../../src/controllers/pod_volumes/mod.ts";
import {
  migratedDriverOf,
  migratedPluginOf,
  translateToCsi,
  type VolumeSpec,
} from "../../../../src/controllers/volumes/mod.ts";

function translateVolume(spec: PersistentVolumeSpec, metadata: PersistentVolume["metadata"] = {}) {
  const persistentVolume = { metadata: { name: "pv1", ...metadata }, spec };
  const answer = translateToCsi({ from: "volume", persistentVolume, readOnly: true }, "ns");
  if (answer.from !== "volume") throw new Error("it is a PersistentVolume");
  assertEquals([answer.readOnly, answer.migrated], [true, "volume"]);
  assertEquals(answer.persistentVolume.metadata?.name, "pv1");
  return answer.persistentVolume.spec;
}

function translateInline(volume: Omit<PodVolume, "name">, podNamespace = "ns") {
  const answer = translateToCsi({ from: "pod", volume: { name: "data", ...volume } }, podNamespace);
  if (answer.from !== "volume") throw new Error("it has become a PersistentVolume");
  assertEquals([answer.readOnly, answer.migrated], [false, "inline"]);
  const { metadata, spec } = answer.persistentVolume;
  return { name: metadata?.name, ...spec };
}

const MODE = { volumeMode: "Filesystem" };

Deno.test("migratedDriverOf knows the driver that took over from a plug-in", () => {
  const drivers: [string, string][] = [
    ["kubernetes.io/aws-ebs", "ebs.csi.aws.com"],
    ["kubernetes.io/gce-pd", "pd.csi.storage.gke.io"],
    ["kubernetes.io/cinder", "cinder.csi.openstack.org"],
    ["kubernetes.io/azure-disk", "disk.csi.azure.com"],
    ["kubernetes.io/azure-file", "file.csi.azure.com"],
    ["kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com"],
    ["kubernetes.io/portworx-volume", "pxd.portworx.com"],
  ];
  for (const [plugin, driver] of drivers) {
    assertEquals(migratedDriverOf(plugin), driver);
  }
  assertEquals(migratedDriverOf("kubernetes.io/rbd"), undefined);
});

Deno.test("translateToCsi leaves alone what no driver has taken over", () => {
  const spec: VolumeSpec = { from: "pod", volume: { name: "data", emptyDir: {} } };
  assertEquals(translateToCsi(spec, "ns"), spec);
  assertEquals(migratedPluginOf(spec), undefined);
});

Deno.test("translateToCsi, aws-ebs: an ID, or the path of a URL", () => {
  const ebs = (volumeID: string, more = {}) => ({ awsElasticBlockStore: { volumeID, ...more } });
  const csi = { driver: "ebs.csi.aws.com", volumeHandle: "vol-1", volumeAttributes: { partition: "0" } };
  assertEquals(translateVolume({ ...ebs("vol-1"), accessModes: ["ReadWriteOnce"] }), {
    accessModes: ["ReadWriteOnce"],
    csi,
  });
  for (const id of ["aws://us-east-1b/vol-1", "aws:///vol-1", "aws://zone//vol-1/"]) {
    assertEquals(translateVolume(ebs(id)), { csi });
  }
  assertEquals(translateInline(ebs("vol-1", { partition: 3, readOnly: true, fsType: "ext4" })), {
    name: "ebs.csi.aws.com-vol-1",
    csi: { ...csi, fsType: "ext4", readOnly: true, volumeAttributes: { partition: "3" } },
    accessModes: ["ReadWriteOnce"],
    ...MODE,
  });
  for (const id of ["aws://zone/disk-1", "aws://zone", "aws://zone/vol-1/x", "aws://%%%/vol-1%"]) {
    assertThrows(() => translateVolume(ebs(id)), Error, `Invalid format for AWS volume (${id})`);
  }
});

Deno.test("translateToCsi, gce-pd: the place of a disk comes from labels", () => {
  const place = (labels: Record<string, string>) =>
    translateVolume({ gcePersistentDisk: { pdName: "d" } }, { labels })?.csi?.volumeHandle;
  assertEquals(place({}), "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d");
  assertEquals(place({ "topology.kubernetes.io/zone": "a-b-c" }), "projects/UNSPECIFIED/zones/a-b-c/disks/d");
  assertEquals(
    place({ "failure-domain.beta.kubernetes.io/zone": "x", "topology.kubernetes.io/zone": "y" }),
    "projects/UNSPECIFIED/zones/x/disks/d",
  );
  assertEquals(
    place({ "topology.kubernetes.io/zone": "us-east1-a__us-east1-c" }),
    "projects/UNSPECIFIED/regions/us-east1/disks/d",
  );
  for (const zone of ["a-b-c__a-d-c", "a-b__a-b", "__"]) {
    assertThrows(() => place({ "topology.kubernetes.io/zone": zone }), Error, "failed to get region from zones: ");
  }
});

Deno.test("translateToCsi, gce-pd: one access mode is left", () => {
  const modes = (...accessModes: string[]) =>
    translateVolume({ gcePersistentDisk: { pdName: "d" }, accessModes })?.accessModes;
  assertEquals(translateVolume({ gcePersistentDisk: { pdName: "d" } })?.accessModes, undefined);
  assertEquals(modes("ReadWriteMany", "ReadOnlyMany"), ["ReadWriteOnce"]);
  assertEquals(modes("ReadOnlyMany", "ReadWriteOnce"), ["ReadWriteOnce"]);
  assertEquals(modes("ReadOnlyMany"), ["ReadOnlyMany"]);
  assertEquals(modes("ReadWriteOncePod"), ["ReadWriteOnce"]);
});

Deno.test("translateToCsi, gce-pd: a volume of a pod", () => {
  assertEquals(translateInline({ gcePersistentDisk: { pdName: "d", partition: 2, readOnly: true, fsType: "xfs" } }), {
    name: "pd.csi.storage.gke.io-d",
    csi: {
      driver: "pd.csi.storage.gke.io",
      volumeHandle: "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d",
      readOnly: true,
      fsType: "xfs",
      volumeAttributes: { partition: "2" },
    },
    accessModes: ["ReadOnlyMany"],
    ...MODE,
  });
  const { csi, accessModes } = translateInline({ gcePersistentDisk: { pdName: "d" } });
  assertEquals([csi?.volumeAttributes, accessModes], [{ partition: "" }, ["ReadWriteOnce"]]);
});

Deno.test("translateToCsi, cinder: no attributes", () => {
  const csi = { driver: "cinder.csi.openstack.org", volumeHandle: "v", fsType: "ext4" };
  assertEquals(translateVolume({ cinder: { volumeID: "v", fsType: "ext4", secretRef: { name: "s" } } }), { csi });
  assertEquals(translateInline({ cinder: { volumeID: "v", fsType: "ext4", readOnly: false } }), {
    name: "cinder.csi.openstack.org-v",
    csi,
    accessModes: ["ReadWriteOnce"],
    ...MODE,
  });
});

Deno.test("translateToCsi, azure-disk: managed disks only", () => {
  const disk = { diskName: "d", diskURI: "/uri", cachingMode: "ReadOnly", fsType: "ext4", readOnly: true };
  const csi = {
    driver: "disk.csi.azure.com",
    volumeHandle: "/uri",
    fsType: "ext4",
    readOnly: true,
    volumeAttributes: { kind: "Managed", cachingmode: "ReadOnly", fstype: "ext4" },
  };
  assertEquals(translateVolume({ azureDisk: { ...disk, kind: "mAnaged" } }), { csi });
  assertEquals(translateInline({ azureDisk: disk }), { name: "/uri", csi, accessModes: ["ReadWriteOnce"], ...MODE });
  const shared = () => translateVolume({ azureDisk: { ...disk, kind: "Shared" } });
  const { message } = assertThrows(shared, Error);
  assertEquals(message, "failed to translate in-tree pv to CSI: kind(Shared) is not supported in csi migration");
});

Deno.test("translateToCsi, azure-file: account, share and namespace make the handle", () => {
  const share = { secretName: "azure-storage-account-acc-secret", shareName: "s" };
  const csi = (volumeHandle: string, namespace: string, name = share.secretName) => ({
    driver: "file.csi.azure.com",
    volumeHandle,
    volumeAttributes: { sharename: "s" },
    nodeStageSecretRef: { name, namespace },
  });
  const annotations = { "kubernetes.io/azure-file-resource-group": "rg" };
  assertEquals(
    translateVolume({ azureFile: { ...share, secretNamespace: "n" } }, { annotations })?.csi,
    csi("rg#acc#s#pv1#n", "n"),
  );
  assertEquals(
    translateVolume({ azureFile: { ...share, secretName: "odd" }, claimRef: { namespace: "c" } })?.csi,
    csi("#odd#s#pv1#c", "c", "odd"),
  );
  assertThrows(() => translateVolume({ azureFile: share }), Error, "could not find a secret namespace");
  for (const [podNamespace, namespace] of [["ns", "ns"], ["", "default"]]) {
    const handle = `#acc#s#data#${namespace}`;
    assertEquals(translateInline({ azureFile: share }, podNamespace), {
      name: handle,
      csi: csi(handle, namespace),
      accessModes: ["ReadWriteMany"],
      ...MODE,
    });
  }
});

Deno.test("translateToCsi, azure-file: accounts in names of Secrets are what a greedy match finds", () => {
  const account = (secretName: string) =>
    translateInline({ azureFile: { secretName, shareName: "s" } }).csi?.volumeHandle.split("#")[1];
  const names = [
    "azure-storage-account-a-secret-secret",
    "xazure-storage-account-a-secretx",
    "azure-storage-account--secret",
  ];
  assertEquals(names.map(account), ["a-secret", "a", names[2]]);
});

Deno.test("translateToCsi, vsphere: the storage policy of a pod's volume counts, too", () => {
  const disk = { volumePath: "[ds] a.vmdk", fsType: "ext4", storagePolicyName: "gold" };
  const csi = {
    driver: "csi.vsphere.vmware.com",
    volumeHandle: "[ds] a.vmdk",
    fsType: "ext4",
    volumeAttributes: { storagepolicyname: "gold" },
  };
  assertEquals(translateVolume({ vsphereVolume: disk }), { csi });
  assertEquals(translateInline({ vsphereVolume: disk }), {
    name: "csi.vsphere.vmware.com-[ds] a.vmdk",
    csi,
    accessModes: ["ReadWriteOnce"],
    ...MODE,
  });
  const plain = { driver: "csi.vsphere.vmware.com", volumeHandle: "p" };
  assertEquals(translateVolume({ vsphereVolume: { volumePath: "p" } }), { csi: plain });
});

Deno.test("translateToCsi, portworx: two annotations give all secrets", () => {
  const csi = { driver: "pxd.portworx.com", volumeHandle: "v" };
  const secret = { name: "s", namespace: "n" };
  const annotations = { "openstorage.io/auth-secret-name": "s", "openstorage.io/auth-secret-namespace": "n" };
  assertEquals(translateVolume({ portworxVolume: { volumeID: "v" } }, { annotations }), {
    csi: {
      ...csi,
      controllerPublishSecretRef: secret,
      nodeStageSecretRef: secret,
      nodePublishSecretRef: secret,
      controllerExpandSecretRef: secret,
      nodeExpandSecretRef: secret,
    },
  });
  const half = { "openstorage.io/auth-secret-name": "s" };
  assertEquals(translateVolume({ portworxVolume: { volumeID: "v" } }, { annotations: half }), { csi });
  assertEquals(translateInline({ portworxVolume: { volumeID: "v", readOnly: true } }), {
    name: "pxd.portworx.com-v",
    csi,
    accessModes: ["ReadOnlyMany"],
    ...MODE,
  });
});
