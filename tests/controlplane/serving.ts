import type { ControlPlane } from "./control_plane.ts";

/** Flags of a manager that serves with a certificate which this control plane's authority vouches for. */
export async function servingFlags({ authority, folder }: ControlPlane, name = "manager"): Promise<string[]> {
  const { cert, key } = await authority.serving(["localhost"], ["127.0.0.1"]);
  await Deno.writeTextFile(`${folder}/${name}.crt`, cert);
  await Deno.writeTextFile(`${folder}/${name}.key`, key);
  return [`--tls-cert-file=${folder}/${name}.crt`, `--tls-private-key-file=${folder}/${name}.key`];
}
