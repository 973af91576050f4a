import { assertEquals } from "@std/assert";
import { Harness, type Loose } from "../../harness.ts";

const AT = "spec.volumes[0]";

/** Volumes of a pod besides their name, and the causes for which they are refused. */
const REFUSED: ReadonlyArray<readonly [volume: object, causes: readonly string[]]> = [
  [{ hostPath: {} }, [`FieldValueRequired ${AT}.hostPath.path`]],
  [{ hostPath: { path: "/a/../b" } }, [`FieldValueInvalid ${AT}.hostPath.path`]],
  [{ hostPath: { path: "/a", type: "Odd" } }, [`FieldValueNotSupported ${AT}.hostPath.type`]],
  [{ nfs: { path: "a" } }, [`FieldValueRequired ${AT}.nfs.server`, `FieldValueInvalid ${AT}.nfs.path`]],
  [{ iscsi: { lun: 1 } }, [`FieldValueRequired ${AT}.iscsi.targetPortal`, `FieldValueRequired ${AT}.iscsi.iqn`]],
  [{ flexVolume: {} }, [`FieldValueRequired ${AT}.flexVolume.driver`]],
  [{ emptyDir: {}, downwardAPI: {} }, [`FieldValueForbidden ${AT}.downwardAPI`]],
];
for (const [volume, causes] of REFUSED) {
  Deno.test(`a volume is refused that is ${JSON.stringify(volume)}`, async () => {
    using api = new Harness();
    await api.post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
    const { status, body } = await api.post("/api/v1/namespaces/default/pods", {
      metadata: { name: "a" },
      spec: { containers: [{ name: "a", image: "a" }], volumes: [{ name: "v", ...volume }] },
    });
    assertEquals(status, 422);
    assertEquals(body.details.causes.map(({ reason, field }: Loose) => `${reason} ${field}`), causes);
  });
}
