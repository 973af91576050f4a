import "reflect-metadata";
import { assertEquals, assertThrows } from "@std/assert";
import * as x509 from "@peculiar/x509";
import { MalformedError, pemBlocks, pemText, readCertificateRequest, readCertificates } from "../../../src/x509/mod.ts";
import { requestPem } from "../../scenarios/request_pem.ts";

const PEM = await requestPem({ subject: [["O", "o"], ["CN", "x"]], names: [{ type: "dns", value: "a.b" }] });
const [{ bytes: DER }] = pemBlocks(PEM);
const asPem = (bytes: Uint8Array<ArrayBuffer>) => pemText({ type: "CERTIFICATE REQUEST", bytes });

Deno.test("readCertificateRequest fails with nothing but MalformedError, wherever a request is cut off or changed", () => {
  for (let length = 0; length < DER.length; length++) {
    assertThrows(() => readCertificateRequest(asPem(DER.slice(0, length))), MalformedError);
  }
  for (let at = 0; at < DER.length; at++) {
    for (const bit of [1, 0x20, 0x80]) {
      const changed = DER.slice();
      changed[at] ^= bit;
      try {
        readCertificateRequest(asPem(changed));
      } catch (error) {
        assertEquals((error as Error).name, "MalformedError", String((error as Error).stack));
      }
    }
  }
});

Deno.test("readCertificateRequest refuses lengths that are not in their shortest form, and what follows the request", () => {
  assertThrows(
    () => readCertificateRequest(asPem(new Uint8Array([...DER, 0]))),
    MalformedError,
    "there is more behind it",
  );
  assertThrows(() => readCertificateRequest(asPem(new Uint8Array([0x30, 0x80, 0, 0]))), MalformedError, "a length");
  assertThrows(() => readCertificateRequest(asPem(new Uint8Array([0x30, 0x81, 1, 0]))), MalformedError, "not minimal");
  assertThrows(() => readCertificateRequest(asPem(new Uint8Array([0x30, 0x84, 255, 255, 255, 255]))), MalformedError);
});

Deno.test("readCertificateRequest refuses an extension that is asked for twice", async () => {
  const twice = [1, 2].map(() => new x509.BasicConstraintsExtension(true));
  const pem = await requestPem({ extensions: twice });
  assertThrows(
    () => readCertificateRequest(pem),
    MalformedError,
    "x509: certificate request contains duplicate requested extensions",
  );
});

Deno.test("readCertificateRequest takes the first block, and no other", async () => {
  const other = PEM.replaceAll("CERTIFICATE REQUEST", "CERTIFICATE");
  assertThrows(() => readCertificateRequest(other + PEM), MalformedError, "PEM block type must be CERTIFICATE REQUEST");
  assertEquals(readCertificateRequest(PEM + other).subject.CN, ["x"]);
  assertEquals(readCertificateRequest(`words before\n${PEM}`).subject.CN, ["x"]);
  assertEquals(readCertificateRequest(PEM.replace("-----\n", "-----\nHeader: value\n\n")).subject.CN, ["x"]);
  assertEquals((await requestPem()).length > 0, true);
});

Deno.test("pemBlocks reads what Go reads", () => {
  const of = (text: string) => [...pemBlocks(text)].map(({ type, bytes }) => `${type} ${bytes}`);
  const block = (type: string, body: string) => `-----BEGIN ${type}-----\n${body}-----END ${type}-----\n`;
  assertEquals(of(block("A", "AQ==\n") + block("B", "Ag==\n")), ["A 1", "B 2"]);
  assertEquals(of("-----BEGIN X-----\nnothing\n" + block("A", "AQ==\n")), ["A 1"]);
  assertEquals(of(block("A", "A Q =\t=\r\n").replaceAll("\n", "\r\n")), ["A 1"]);
  assertEquals(of(block("A", "AQ=\n")), []);
  assertEquals(of(block("A", "AQ==\n").replace("END A", "END B")), []);
  assertEquals(of(" " + block("A", "AQ==\n")), []);
  assertEquals(of(""), []);
});

Deno.test("readCertificates refuses what holds none", () => {
  for (const text of ["", PEM, "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"]) {
    assertThrows(() => readCertificates(text), MalformedError);
  }
});
