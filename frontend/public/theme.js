// Before the first paint, so that a remembered theme never flashes.
;(function () {
  var choice = null
  try {
    choice = localStorage.getItem('piql:theme')
  } catch (_) {
    /* storage may be closed to us */
  }
  var dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
})()
