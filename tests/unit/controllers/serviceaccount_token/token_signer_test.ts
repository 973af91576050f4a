import { assert, assertEquals, assertRejects } from "@std/assert";
import { decodeBase64Url } from "@std/encoding/base64url";
import { createPublicKey } from "node:crypto";
import { type ControllerSigner, SigningError } from "../../../../src/controllers/mod.ts";
import { TokenSigner } from "../../../../src/controllers/serviceaccount_token/token_signer.ts";
import { newKey, signerWith, type TestKey } from "./signers.ts";

const ACCOUNT = { metadata: { namespace: "default", name: "bot", uid: "12345" } };
const SECRET = { metadata: { namespace: "default", name: "bot-token", uid: "23456" } };
const CLAIMS = '{"iss":"kubernetes/serviceaccount","kubernetes.io/serviceaccount/namespace":"default",' +
  '"kubernetes.io/serviceaccount/secret.name":"bot-token","kubernetes.io/serviceaccount/service-account.name":"bot",' +
  '"kubernetes.io/serviceaccount/service-account.uid":"12345","sub":"system:serviceaccount:default:bot"}';

function textOf(part: string): string {
  return new TextDecoder().decode(decodeBase64Url(part));
}

async function holds(token: string, { how, verify }: TestKey): Promise<boolean> {
  const [header, claims, signature] = token.split(".");
  const signed = new TextEncoder().encode(`${header}.${claims}`);
  return await crypto.subtle.verify(how, verify, decodeBase64Url(signature), signed);
}

Deno.test("TokenSigner: header and claims are upstream's byte for byte, and the signature holds", async () => {
  const sizes = { RSA: 256, "P-256": 64, "P-384": 96, "P-521": 132 } as const;
  for (const kind of ["RSA", "P-256", "P-384", "P-521"] as const) {
    const key = await newKey(kind);
    const token = await new TokenSigner(signerWith(() => key), "key").tokenFor(ACCOUNT, SECRET);
    const [header, claims, signature] = token.split(".");
    const [, kid] = /^\{"alg":"\w+","kid":"([\w-]{43})"\}$/.exec(textOf(header)) ?? [];
    assertEquals(textOf(header), JSON.stringify({ alg: key.algorithm, kid }));
    assertEquals(textOf(claims), CLAIMS);
    assertEquals(decodeBase64Url(signature).length, sizes[kind]);
    assert(await holds(token, key), kind);
  }
});

Deno.test("TokenSigner names keys as upstream does: the keys of RFC 7515", async () => {
  const n =
    "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2l" +
    "ZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R" +
    "2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9" +
    "gb54h4FRWyuXpoQ";
  const keys = [
    [{
      kty: "EC",
      crv: "P-256",
      x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
      y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    }, "K9G7DESol8MKeqCZHN442AYv5EHeUNoPRoJTRPYC6Cc"],
    [{ kty: "RSA", e: "AQAB", n }, "b9E8JDWjYefFiM0X9V9a098Bd6ZsFyemogCEX016uIw"],
  ] as const;
  for (const [key, kid] of keys) {
    const publicKey = new Uint8Array(createPublicKey({ key, format: "jwk" }).export({ type: "spki", format: "der" }));
    const signer: ControllerSigner = {
      publicKey: () => Promise.resolve(publicKey),
      sign: () => Promise.resolve({ signature: new Uint8Array(), publicKey }),
    };
    const token = await new TokenSigner(signer, "key").tokenFor(ACCOUNT, SECRET);
    assertEquals(JSON.parse(textOf(token.split(".")[0])).kid, kid);
  }
});

Deno.test("TokenSigner: a key that changes in between signs what names it, also one of another kind", async () => {
  for (const kinds of [["P-256", "P-256"], ["RSA", "P-384"]] as const) {
    const keys = [await newKey(kinds[0]), await newKey(kinds[1])];
    let asked = 0;
    // The first answer is about the old key.
    const signer = signerWith(() => keys[asked++ === 0 ? 0 : 1]);
    const token = await new TokenSigner(signer, "key").tokenFor(ACCOUNT, SECRET);
    assertEquals(JSON.parse(textOf(token.split(".")[0])).alg, keys[1].algorithm);
    assert(await holds(token, keys[1]));
  }
});

Deno.test("TokenSigner: a key that changes again and again signs nothing", async () => {
  const keys = [await newKey("P-256"), await newKey("P-256")];
  let asked = 0;
  const signer = new TokenSigner(signerWith(() => keys[asked++ % 2]), "key");
  await assertRejects(() => signer.tokenFor(ACCOUNT, SECRET), SigningError, "keeps changing");
});

Deno.test("TokenSigner: check refuses keys that cannot sign tokens", async () => {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]) as CryptoKeyPair;
  const publicKey = new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey));
  const sign = () => Promise.reject(new SigningError("no"));
  const signer = new TokenSigner({ publicKey: () => Promise.resolve(publicKey), sign }, "key");
  await assertRejects(() => signer.check(), SigningError, "unknown private key");
  await assertRejects(() => new TokenSigner({ publicKey: sign, sign }, "key").check(), SigningError, "no");
});
