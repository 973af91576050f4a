import type { NpmPackage } from "./lock_file.ts";
import type { PackageFacts } from "./package_files.ts";

/** Licences of what is in the executable, as they want to go with it. */
export function notices(packages: Iterable<NpmPackage & PackageFacts>, deno: string): string {
  const parts = [
    part("Deno", deno, { license: "MIT", text: `Copyright the Deno authors\n\n${MIT}` }),
    ...[...packages].map(({ name, version, license, author, licenseText }) => {
      if (licenseText === "" && license !== "MIT") {
        throw new Error(`${name}@${version} brings no licence text, and its licence is ${license || "not named"}`);
      }
      return part(name, version, {
        license,
        text: licenseText || `Copyright ${author || `the authors of ${name}`}\n\n${MIT}`,
      });
    }),
  ];
  return `kubeloop contains these works, with thanks to their authors.\n\n${parts.join("\n")}`;
}

function part(
  name: string,
  version: string,
  { license, text }: { readonly license: string; readonly text: string },
): string {
  return `${"=".repeat(80)}\n${name} ${version} (${license})\n\n${text.replaceAll("\r\n", "\n").trim()}\n`;
}

/** For packages that say MIT and leave its words to the reader. */
const MIT =
  `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
