/**
 * Types the CSS modules: a class that does not exist is a type error, and a class that nothing uses fails here.
 *
 * Writes `node_modules/.css-classes/src/a/b.module.css.d.ts` for `src/a/b.module.css`; `rootDirs` of tsconfig.json lays
 * the two trees over each other. Vite says which classes a file has, as in the build. Runs as part of `npm run types`.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import ts from 'typescript'
import { preprocessCSS, resolveConfig } from 'vite'

const ROOT = import.meta.dirname
const TYPES = join(ROOT, 'node_modules/.css-classes')

/** The classes of each CSS module, by the path of its file. */
async function classesByFile() {
  const config = await resolveConfig({ root: ROOT, logLevel: 'error' }, 'build')
  const files = ts.sys.readDirectory(join(ROOT, 'src'), ['.module.css'])
  return new Map(await Promise.all(files.map(async (file) => [file, await classesOf(file, config)])))
}

async function classesOf(file, config) {
  const text = readFileSync(file, 'utf8')
  const { modules = {} } = await preprocessCSS(text, file, config)
  const animations = new Set([...text.matchAll(/@keyframes\s+([\w-]+)/g)].map(([, name]) => name))
  return Object.keys(modules).filter((name) => !animations.has(name))
}

function writeTypes(classes) {
  rmSync(TYPES, { recursive: true, force: true })
  for (const [file, names] of classes) {
    const types = join(TYPES, `${relative(ROOT, file)}.d.ts`)
    const fields = names.map((name) => `  readonly '${name}': string\n`).join('')
    mkdirSync(dirname(types), { recursive: true })
    writeFileSync(types, `declare const styles: {\n${fields}}\nexport default styles\n`)
  }
}

/** What the sources take from CSS modules, as `<file> <class>`. */
function usedClasses() {
  const { fileNames, options } = ts.getParsedCommandLineOfConfigFile(join(ROOT, 'tsconfig.json'), {}, ts.sys)
  const program = ts.createProgram(fileNames, options)
  const checker = program.getTypeChecker()
  const used = new Set()
  for (const source of program.getSourceFiles().filter(({ fileName }) => fileNames.includes(fileName))) {
    const modules = new Map(
      source.statements
        .filter(
          (statement) => ts.isImportDeclaration(statement) && statement.moduleSpecifier.text.endsWith('.module.css'),
        )
        .map(({ importClause, moduleSpecifier }) => [
          importClause.name.text,
          resolve(dirname(source.fileName), moduleSpecifier.text),
        ]),
    )
    const visit = (node) => {
      const file = ts.isElementAccessExpression(node) && modules.get(node.expression.getText())
      if (file) {
        const type = checker.getTypeAtLocation(node.argumentExpression)
        for (const { value } of type.isUnion() ? type.types : [type]) used.add(`${file} ${value}`)
      }
      ts.forEachChild(node, visit)
    }
    if (modules.size > 0) visit(source)
  }
  return used
}

const classes = await classesByFile()
writeTypes(classes)
const used = usedClasses()
const unused = [...classes].flatMap(([file, names]) =>
  names.filter((name) => !used.has(`${file} ${name}`)).map((name) => `${relative(ROOT, file)}: nothing uses .${name}`),
)
if (unused.length > 0) {
  console.error(unused.join('\n'))
  process.exitCode = 1
}
