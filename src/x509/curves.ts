import { bigIntOf, type Bytes, hexOf } from "./der_reader.ts";
import { bytesOf } from "./der_writer.ts";

export type CurveName = "P-224" | "P-256" | "P-384" | "P-521";

export interface Point {
  readonly x: bigint;
  readonly y: bigint;
}

/** A short Weierstrass curve with a = -3. */
export interface Curve {
  readonly name: CurveName;
  readonly bits: number;
  /** Its object identifier, in DER. */
  readonly oid: Bytes;
  /** The prime of its field. */
  readonly p: bigint;
  readonly b: bigint;
  /** The number of its points, also a prime. */
  readonly order: bigint;
  readonly base: Point;
}

/** Parameters: SEC 2, sections 2.2 to 2.6. */
function curve(
  name: CurveName,
  oid: string,
  { p, b, order, base }: Record<"p" | "b" | "order" | "base", string>,
): Curve {
  const point = base.replace(/\s/g, "");
  const at = (from: number, to?: number) => bigIntOf(bytesOf(point.slice(from, to)));
  const number = (hex: string) => BigInt(`0x${hex.replace(/\s/g, "")}`);
  const prime = number(p);
  return {
    name,
    bits: prime.toString(2).length,
    oid: bytesOf(oid),
    p: prime,
    b: number(b),
    order: number(order),
    base: { x: at(0, point.length / 2), y: at(point.length / 2) },
  };
}

const CURVES: Readonly<Record<CurveName, Curve>> = {
  "P-224": curve("P-224", "06052b81040021", {
    p: "ffffffffffffffffffffffffffffffff 000000000000000000000001",
    b: "b4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4",
    order: "ffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3d",
    base: "b70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21" +
      "bd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34",
  }),
  "P-256": curve("P-256", "06082a8648ce3d030107", {
    p: "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
    b: "5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b",
    order: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
    base: "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296" +
      "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
  }),
  "P-384": curve("P-384", "06052b81040022", {
    p: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff",
    b: "b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef",
    order: "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
    base: "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7" +
      "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f",
  }),
  "P-521": curve("P-521", "06052b81040023", {
    p: `01ff${"ff".repeat(64)}`,
    b: "51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf0735" +
      "73df883d2c34f1ef451fd46b503f00",
    order: "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d0" +
      "3bb5c9b8899c47aebb6fb71e91386409",
    base: "00c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ffa8de" +
      "3348b3c1856a429bf97e7e31c2e5bd66" +
      "011839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761" +
      "353c7086a272c24088be94769fd16650",
  }),
};

const BY_OID = new Map(Object.values(CURVES).map((curve) => [hexOf(curve.oid), curve]));

/** The curve with this object identifier, in DER. */
export function curveOf(oid: Bytes): Curve | undefined {
  return oid.length > 16 ? undefined : BY_OID.get(hexOf(oid));
}

export function curveNamed(name: CurveName): Curve {
  return CURVES[name];
}

export function isOnCurve({ p, b }: Curve, { x, y }: Point): boolean {
  return x < p && y < p && (y * y - (x * x * x - 3n * x + b)) % p === 0n;
}
