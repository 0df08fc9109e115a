"""Names, towns and words, in lower case and without digits, so that a number behind one makes another one."""

from __future__ import annotations

FIRST_NAMES = tuple(
    "ada bob cleo dan eve finn gia hugo ida jon kim lea max nora otto pia quin rosa sam tess ugo vera will xena yan "
    "zoe amir bela chen dina emil fatou grace hans ines juri kofi lena mira noah olga paul rani sven tara uma vito "
    "wanda ximo yuki zara".split()
)
LAST_NAMES = tuple(
    "abel berg costa diaz eriksen fischer garcia haas ito jansen kovacs lopez meyer novak okafor petrov quist rossi "
    "silva tanaka ueda vogel weber xu yilmaz zhou".split()
)
TOWNS = tuple(
    "Accra Athens Berlin Bogota Cairo Dakar Delhi Dublin Geneva Hanoi Helsinki Jakarta Kyiv Lagos Lima Lisbon London "
    "Lyon Madrid Milan Montreal Nairobi Oslo Paris Prague Quito Riga Rome Seoul Sofia Sydney Tokyo Toronto Vienna "
    "Warsaw Zurich".split()
)
COUNTRIES = tuple("AR AU BR CA CH CN DE EG ES FR GB GH ID IN IT JP KE KR MX NG NL NO PE PL PT SE TR UA US VN".split())
STREETS = ("Station Road", "Main Street", "Park Lane", "Mill Road", "Church Street", "Harbour Way", "High Street")
KINDS = ("standard", "new", "open", "basic", "closed", "other")
WORDS = tuple(
    "the of and to in is for on that with as at by from this but not are was new time day water light house river road "
    "green blue red small large old young early late open quiet bright stone wood glass paper letter music garden "
    "window morning evening winter summer north south east west city village market bridge harbour island forest "
    "field mountain valley cloud rain wind snow bread salt coffee apple table chair door train ticket friend sister "
    "brother teacher doctor engine number story answer question color sound voice hand eye heart bird horse fish tree "
    "leaf flower seed root moon star night dream news plan work game book page word line map key lamp clock boat wheel "
    "silver copper iron cotton silk velvet orange lemon ginger pepper honey sugar butter kitchen corner square "
    "tower".split()
)
