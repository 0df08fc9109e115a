import { describe, expect, it } from 'vitest'
import { belowCommonFolder, chosenFiles } from './dropped-files'

describe('files of a folder that was chosen', () => {
  const file = (path: string, text = '') => {
    const made = new File([text], path.split('/').at(-1) ?? path)
    Object.defineProperty(made, 'webkitRelativePath', { value: path })
    return made
  }

  it('are those of PIQL and SQL, below the folder', async () => {
    const files = await chosenFiles([
      file('shop/schema.piql', 'a'),
      file('shop/queries/cart.piql', 'b'),
      file('shop/.git/x.piql'),
      file('shop/logo.png'),
    ])
    expect(files).toEqual([
      { path: 'schema.piql', text: 'a' },
      { path: 'queries/cart.piql', text: 'b' },
    ])
  })

  it('are refused where there is none, or they are too large', async () => {
    await expect(chosenFiles([file('shop/logo.png')])).rejects.toThrow('There is no file that ends in')
    await expect(chosenFiles([file('a.piql', 'x'.repeat(4_500_001))])).rejects.toThrow('more than 4.5 MB')
  })

  it('keep their folders where they have several', () => {
    expect(belowCommonFolder(['a/x.piql', 'b/y.piql'])).toEqual(['a/x.piql', 'b/y.piql'])
    expect(belowCommonFolder(['a/x.piql', 'a.piql'])).toEqual(['a/x.piql', 'a.piql'])
    expect(belowCommonFolder(['a/b/x.piql'])).toEqual(['b/x.piql'])
  })
})
