import { assertRejects } from "@std/assert";
import { FakeWorld } from "../../../src/base/mod.ts";
import { KubeconfigClaim } from "../../../src/cli/kubeconfig_claim.ts";

Deno.test("KubeconfigClaim names the file that cannot be written", async () => {
  const folder = await Deno.makeTempDir();
  const { write } = Deno.FsFile.prototype;
  try {
    const path = `${folder}/kubeconfig`;
    using claim = await KubeconfigClaim.of(new FakeWorld(), path);
    // As on a full disk.
    Deno.FsFile.prototype.write = () => Promise.reject(new Error("No space left on device (os error 28)"));
    const message = `Cannot write the kubeconfig ${JSON.stringify(path)}: No space left on device (os error 28)`;
    await assertRejects(() => claim.write("apiVersion: v1\n"), Error, message);
  } finally {
    Deno.FsFile.prototype.write = write;
    await Deno.remove(folder, { recursive: true });
  }
});
