// Builds the page into dist/: the shell, and the files it loads under names with a hash. `files.in`
// is what the crate nudge-web includes. `node build.mjs --check` fails if dist/ is not what this
// source gives, byte for byte.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const common = {
  absWorkingDir: here, bundle: true, minify: true, write: false, legalComments: 'none', charset: 'utf8',
  target: ['es2022', 'chrome120', 'firefox121', 'safari17.2'], logLevel: 'warning',
};
const script = { entryPoints: ['src/app.tsx'], format: 'iife', jsx: 'automatic', jsxImportSource: 'preact' };
const bundled = async (options) => (await build({ ...common, ...options })).outputFiles[0].contents;

// The largest that each kind may be, in bytes after gzip.
const LIMITS = { '.js': 60_000, '.css': 12_000 };
const MEDIA_TYPES = { '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml' };

const sources = [
  ['app', '.js', await bundled(script)],
  ['app', '.css', await bundled({ entryPoints: ['src/app.css'] })],
  ['icon', '.svg', readFileSync(join(here, 'icon.svg'))],
];
const hashOf = (bytes) => createHash('sha256').update(bytes).digest('hex').slice(0, 16);

let shell = readFileSync(join(here, 'index.html'), 'utf8');
const files = new Map();
const rows = [];
for (const [name, ending, bytes] of sources) {
  const hash = hashOf(bytes), file = `${name}-${hash}${ending}`, zipped = gzipSync(bytes, { level: 9 }).length;
  if (zipped > (LIMITS[ending] ?? Infinity)) throw new Error(`${file} has ${zipped} bytes after gzip`);
  console.log(`${file}: ${bytes.length} bytes, ${zipped} after gzip`);
  // A name with a hash is kept for a year. A program that held the port once must not get its file kept under it.
  const integrity = ending === '.svg' ? '' : ` integrity="sha384-${createHash('sha384').update(bytes).digest('base64')}"`;
  shell = shell.replace(`"${name}${ending}"`, `"/assets/${file}"${integrity}`);
  files.set(file, bytes);
  rows.push(`    File {\n        name: "${file}",\n        media_type: "${MEDIA_TYPES[ending]}",\n        hash: "${hash}",\n        bytes: include_bytes!("${file}"),\n    },\n`);
}
files.set('index.html', Buffer.from(shell));
files.set('files.in', Buffer.from(
  `// Written by \`npm run build\` in web/. Do not edit.\n\nconst SHELL_HASH: &str = "${hashOf(Buffer.from(shell))}";\n\nstatic FILES: [File; ${rows.length}] = [\n${rows.join('')}];\n`,
));

const dist = join(here, 'dist');
mkdirSync(dist, { recursive: true });
if (process.argv.includes('--check')) {
  const old = readdirSync(dist).filter((name) => !files.has(name));
  const differ = [...files].filter(([name, bytes]) => { try { return !readFileSync(join(dist, name)).equals(bytes); } catch { return true; } });
  const wrong = [...old, ...differ.map(([name]) => name)];
  if (wrong.length) { console.error(`web/dist is not current: ${wrong.join(', ')}; run \`npm run build\` in web/`); process.exit(1); }
  console.log('web/dist is current');
} else {
  for (const name of readdirSync(dist)) if (!files.has(name)) rmSync(join(dist, name));
  for (const [name, bytes] of files) writeFileSync(join(dist, name), bytes);
}
