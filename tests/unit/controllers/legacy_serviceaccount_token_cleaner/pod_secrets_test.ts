import { assertEquals } from "@std/assert";
import type { Pod } from "../../../../src/api/mod.ts";
import { projection } from "../../../../src/cache/mod.ts";
import {
  READ_OF_PODS,
  secretsOf,
} from "../../../../src/controllers/legacy_serviceaccount_token_cleaner/pod_secrets.ts";

const ref = (name: string) => ({ secretRef: { name } });
const env = (
  name: string,
) => [{ name: "A", valueFrom: { secretKeyRef: { name, key: "k" } } }, { name: "B", value: "b" }];

/** Mentions Secrets in all ways that there are. */
const POD: Pod = {
  metadata: { name: "p" },
  spec: {
    imagePullSecrets: [{ name: "pull" }, { name: "" }, {}],
    initContainers: [{
      name: "i",
      envFrom: [ref("init-from"), { configMapRef: { name: "no" } }],
      env: env("init-env"),
    }],
    containers: [{ name: "c", envFrom: [ref("from")], env: env("env") }],
    ephemeralContainers: [{ name: "e", envFrom: [ref("late-from")], env: env("late-env") }],
    volumes: [
      { name: "1", azureFile: { secretName: "azure", shareName: "s" } },
      { name: "2", cephfs: { monitors: [], ...ref("ceph") } },
      { name: "3", cinder: { volumeID: "v", ...ref("cinder") } },
      { name: "4", flexVolume: { driver: "d", ...ref("flex") } },
      { name: "5", projected: { sources: [{ secret: { name: "projected" } }, { configMap: { name: "no" } }] } },
      { name: "6", rbd: { monitors: [], image: "i", ...ref("rbd") } },
      { name: "7", secret: { secretName: "secret" } },
      { name: "8", scaleIO: { gateway: "g", system: "s", ...ref("scaleio") } },
      { name: "9", iscsi: { targetPortal: "t", iqn: "i", lun: 0, ...ref("iscsi") } },
      { name: "10", storageos: ref("storageos") },
      { name: "11", csi: { driver: "d", nodePublishSecretRef: { name: "csi" } } },
      { name: "12", emptyDir: {} },
    ],
  },
};

const ALL = [
  "pull",
  "init-from",
  "init-env",
  "from",
  "env",
  "late-from",
  "late-env",
  "azure",
  "ceph",
  "cinder",
  "flex",
  "projected",
  "rbd",
  "secret",
  "scaleio",
  "iscsi",
  "storageos",
  "csi",
];

Deno.test("secretsOf names every Secret that a pod mentions, in whatever way", () => {
  assertEquals(secretsOf(POD).sort(), ALL.toSorted());
  assertEquals(secretsOf({}), []);
});

Deno.test("READ_OF_PODS keeps all that secretsOf reads", () => {
  assertEquals(secretsOf(projection<Pod>(READ_OF_PODS)(structuredClone(POD))).sort(), ALL.toSorted());
});
