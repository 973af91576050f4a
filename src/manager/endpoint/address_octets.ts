/**
 * The octets of an IP address, four or sixteen.
 *
 * @throws {TypeError} If it is not an IP address.
 */
export function addressOctets(address: string): Uint8Array {
  if (!address.includes(":")) return Uint8Array.from(address.split("."), Number);
  // The URL parser normalises to the shortest form, without dotted parts.
  const [head, tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (text = "") => text === "" ? [] : text.split(":").map((group) => parseInt(group, 16));
  const [before, after] = [groups(head), groups(tail)];
  const zeros = new Array<number>(8 - before.length - after.length).fill(0);
  return Uint8Array.from([...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 255]));
}
