"""The words the sample shop is made of: places, people, products, reasons.

Only data. `demo.py` decides the rows made of them, and their number.
"""

from __future__ import annotations

# country, region, weight among customers, spending relative to the average, cities
COUNTRIES: tuple[tuple[str, str, int, float, tuple[str, ...]], ...] = (
    ("Norway", "Nordics", 9, 1.25, ("Oslo", "Bergen", "Trondheim", "Tromsø")),
    ("Sweden", "Nordics", 10, 1.05, ("Stockholm", "Göteborg", "Malmö", "Umeå")),
    ("Denmark", "Nordics", 6, 1.0, ("Copenhagen", "Aarhus", "Odense")),
    ("Finland", "Nordics", 5, 0.95, ("Helsinki", "Tampere", "Turku")),
    ("Iceland", "Nordics", 1, 1.3, ("Reykjavík", "Akureyri")),
    ("Germany", "Central Europe", 17, 1.0, ("Berlin", "München", "Hamburg", "Köln")),
    ("Austria", "Central Europe", 5, 1.05, ("Wien", "Graz", "Salzburg")),
    ("Switzerland", "Central Europe", 5, 1.4, ("Zürich", "Genève", "Basel")),
    ("Poland", "Central Europe", 7, 0.7, ("Warszawa", "Kraków", "Gdańsk")),
    ("Czechia", "Central Europe", 4, 0.75, ("Praha", "Brno")),
    ("United Kingdom", "Western Europe", 14, 1.0, ("London", "Manchester", "Edinburgh", "Cardiff")),
    ("Ireland", "Western Europe", 4, 1.1, ("Dublin", "Cork", "Galway")),
    ("France", "Western Europe", 12, 0.95, ("Paris", "Lyon", "Marseille", "Nantes")),
    ("Netherlands", "Western Europe", 8, 1.0, ("Amsterdam", "Rotterdam", "Utrecht")),
    ("Belgium", "Western Europe", 5, 0.95, ("Bruxelles", "Antwerpen", "Gent")),
    ("Spain", "Southern Europe", 8, 0.85, ("Madrid", "Barcelona", "Sevilla", "A Coruña")),
    ("Portugal", "Southern Europe", 4, 0.8, ("Lisboa", "Porto")),
    ("Italy", "Southern Europe", 9, 0.9, ("Roma", "Milano", "Torino", "L'Aquila")),
    ("Greece", "Southern Europe", 3, 0.75, ("Athina", "Thessaloniki")),
    ("United States", "North America", 20, 1.15, ("New York", "Chicago", "Seattle", "Coeur d'Alene")),
    ("Canada", "North America", 8, 1.05, ("Toronto", "Montréal", "Vancouver", "St. John's")),
    ("Mexico", "Latin America", 4, 0.7, ("Ciudad de México", "Guadalajara")),
    ("Brazil", "Latin America", 5, 0.75, ("São Paulo", "Curitiba", "Recife")),
    ("Chile", "Latin America", 2, 0.8, ("Santiago", "Valparaíso")),
    ("Japan", "Asia Pacific", 6, 1.1, ("Tokyo", "Osaka", "Sapporo")),
    ("South Korea", "Asia Pacific", 3, 1.0, ("Seoul", "Busan")),
    ("Australia", "Asia Pacific", 6, 1.1, ("Sydney", "Melbourne", "Perth")),
    ("New Zealand", "Asia Pacific", 2, 1.05, ("Auckland", "Wellington")),
)

FIRST_NAMES: tuple[str, ...] = (
    *("Anna", "Björn", "Chloé", "Daniel", "Elif", "Finn", "Grace", "Hana", "Ingrid", "José", "Karin"),
    *("Liam", "María", "Noah", "Olga", "Paulo", "Quentin", "Ravi", "Søren", "Tomáš", "Ulla", "Viktor"),
    *("Wei", "Xenia", "Yuki", "Zoë", "Aoife", "Bruno", "Camille", "Dmitri", "Emma", "Felix", "Giulia"),
    *("Hugo", "Isabel", "Jean-François", "Kenji", "Lena", "Marta", "Nils", "Oscar", "Petra", "Renée"),
    *("Sofia", "Thomas", "Ursula", "Valentina", "William", "Yasmin", "Łukasz"),
)

LAST_NAMES: tuple[str, ...] = (
    *("Andersen", "Bianchi", "Călin", "D'Angelo", "Eriksson", "Fernández", "García", "Hansen", "Ito"),
    *("Jensen", "Kowalski", "Larsen", "Müller", "Novák", "O'Brien", "Petersen", "Quinn", "Rossi"),
    *("Schmidt", "Tanaka", "Ünal", "van den Berg", "Weber", "Yılmaz", "Zhang", "Almeida", "Bergström"),
    *("Costa", "Dubois", "Evans", "Fischer", "Gómez", "Hoffmann", "Ivanova", "Johnson", "Kim", "Lefèvre"),
    *("Moreau", "Nielsen", "O'Connor", "Papadopoulos", "Ribeiro", "Silva", "Smith", "Taylor", "Virtanen"),
    *("Wilson", "Young", "Østergaard", "Åkesson"),
)

# Customers whose names are there to trip careless code.
ODD_NAMES: tuple[str, ...] = (
    'Anne "Annie" O\'Neill',
    "Robert'); DROP TABLE orders;--",
    "Siobhán Ní Dhomhnaill",
    "張偉",
    "=HYPERLINK(1)",
    "Null",
    "100% Wool Ltd.",
    "Smith & Sons, Inc.",
)

# category, ended, price range in whole units, products
CATEGORIES: tuple[tuple[str, str | None, int, int, tuple[str, ...]], ...] = (
    (
        "Camping",
        None,
        12,
        420,
        (
            *("Tent Fjord 2", "Tent Fjord 4", "Children's Tent", "Sleeping Bag Alta", "Sleeping Bag Lofoten"),
            *("Camping Stove", "Headlamp Polar", "Folding Chair", "Hammock Réunion", "Cool Box 30 l"),
            *("Water Filter", "Backpack 45 l", "Backpack 70 l", "Camping Mat", "Titanium Mug", "Tarp 3x3"),
        ),
    ),
    (
        "Cycling",
        None,
        9,
        1450,
        (
            *("City Bike Amsterdam", "Trekking Bike Alp", "Electric Bike Volt", "Children's Bike 20\""),
            *("Bike Helmet", "Bike Lock", "Bike Light Set", "Pannier Bag", "Floor Pump", "Cycling Gloves"),
            *("Rain Cape", "Child Seat", "Bike Trailer", "Repair Kit", "Bottle Cage"),
        ),
    ),
    (
        "Kitchen",
        None,
        6,
        380,
        (
            *("Chef's Knife", "Bread Knife", "Cast Iron Pan", "Wok 32 cm", "Saucepan Set", "Espresso Maker"),
            *(
                "French Press",
                "Crème Brûlée Torch",
                "Stand Mixer",
                "Cutting Board",
                "Rice Cooker",
                "Tea Kettle",
            ),
            *("Spice Rack", "Mandoline", "Kitchen Scale", "Baking Tin", "Apron", "Salad Spinner"),
        ),
    ),
    (
        "Garden",
        None,
        5,
        640,
        (
            *("Lawn Mower", "Hedge Trimmer", "Garden Hose 25 m", "Rake", "Spade", "Pruning Shears"),
            *("Wheelbarrow", "Raised Bed", "Compost Bin", "Garden Bench", "Parasol", "Watering Can"),
            *("Greenhouse Petite", "Bird Feeder", "Plant Pot 40 cm"),
        ),
    ),
    (
        "Electronics",
        None,
        14,
        1290,
        (
            *('Monitor 27"', 'Monitor 32"', "Laptop Stand", "Wireless Mouse", "Mechanical Keyboard"),
            *("Noise-Cancelling Headphones", "Bluetooth Speaker", "Webcam HD", "USB-C Hub", "Power Bank"),
            *(
                "Smart Watch",
                "Fitness Band",
                "E-Reader",
                'Tablet 10"',
                "Desk Lamp",
                "Action Camera",
                "Drone Mini",
            ),
        ),
    ),
    (
        "Books",
        None,
        7,
        58,
        (
            *(
                "Cooking with Fire",
                "The Nordic Garden",
                "Knots & Ropes",
                "Bicycle Repair Manual",
                "Atlas of Rivers",
            ),
            *(
                "L'Art du Pain",
                "Stars for Beginners",
                "History of Maps",
                "Bird Guide Europe",
                "Chess Openings",
            ),
            *("Learn to Draw", "Travels in Patagonia", "The Tea Book", "Puzzles for a Year", "Field Notes"),
        ),
    ),
    (
        "Toys",
        None,
        5,
        130,
        (
            *(
                "Wooden Train Set",
                "Building Blocks",
                "Puzzle 1000",
                "Puzzle 500",
                "Chess Set",
                "Kite Albatross",
            ),
            *("Teddy Bear", "Dollhouse", "Marble Run", "Board Game Harbour", "Card Game Fünf", "Yo-Yo"),
            *("Science Kit", "Balance Bike", "Water Colours"),
        ),
    ),
    (
        "Clothing",
        None,
        12,
        330,
        (
            *("Rain Jacket", "Down Jacket", "Fleece Pullover", "Merino Shirt", "Hiking Trousers", "Shorts"),
            *("Wool Socks", "Beanie", "Sun Hat", "Gloves", "Scarf", "Base Layer", "Windbreaker", "Belt"),
            *("Swimsuit", "Softshell Vest"),
        ),
    ),
    (
        "Footwear",
        None,
        25,
        260,
        (
            *("Hiking Boots", "Trail Shoes", "Running Shoes", "Sandals", "Rubber Boots", "Winter Boots"),
            *("Espadrilles", "Slippers", "Climbing Shoes", "Sneakers", "Clogs", "Approach Shoes"),
        ),
    ),
    (
        "Films on Disc",
        "2025-01-31",
        6,
        35,
        (
            *("Nordic Noir Box", "Amélie's Paris", "Silent Classics", "Nature in 4K", "Western Night"),
            *("Animation Box", "Opera Gala", "Space Documentary"),
        ),
    ),
)

# name, city, region, opened, share of the sales made in stores
STORES: tuple[tuple[str, str, str, str, int], ...] = (
    ("Oslo Sentrum", "Oslo", "Nordics", "2014-04-12", 11),
    ("Bergen Brygge", "Bergen", "Nordics", "2016-09-03", 6),
    ("Stockholm Södermalm", "Stockholm", "Nordics", "2015-03-21", 9),
    ("Copenhagen Nørrebro", "Copenhagen", "Nordics", "2017-05-06", 7),
    ("Helsinki Kamppi", "Helsinki", "Nordics", "2019-10-19", 5),
    ("Berlin Mitte", "Berlin", "Central Europe", "2016-02-27", 12),
    ("München Altstadt", "München", "Central Europe", "2018-11-10", 9),
    ("Wien Neubau", "Wien", "Central Europe", "2020-08-29", 6),
    ("Zürich Bahnhof", "Zürich", "Central Europe", "2019-04-13", 8),
    ("London Covent Garden", "London", "Western Europe", "2017-06-17", 13),
    ("King's Cross", "London", "Western Europe", "2022-03-05", 7),
    ("Dublin Temple Bar", "Dublin", "Western Europe", "2021-05-22", 5),
    ("Paris Marais", "Paris", "Western Europe", "2018-09-15", 10),
    ("Amsterdam Jordaan", "Amsterdam", "Western Europe", "2019-02-09", 7),
    ("Madrid Malasaña", "Madrid", "Southern Europe", "2021-10-02", 6),
    ("Milano Brera", "Milano", "Southern Europe", "2022-09-24", 7),
    ("New York SoHo", "New York", "North America", "2020-02-15", 14),
    ("Seattle Pike Place", "Seattle", "North America", "2023-06-10", 8),
    ("Toronto Queen West", "Toronto", "North America", "2022-05-14", 6),
    ("Tokyo Shimokitazawa", "Tokyo", "Asia Pacific", "2024-04-06", 7),
)

# reason for a return, weight
REASONS: tuple[tuple[str, int], ...] = (
    ("Wrong size", 30),
    ("Damaged in transit", 18),
    ("Changed mind", 22),
    ("Defective", 14),
    ("Wrong item", 9),
    ("Arrived too late", 7),
)
PAYMENTS: tuple[tuple[str, int], ...] = (
    ("Credit card", 52),
    ("PayPal", 21),
    ("Bank transfer", 11),
    ("Invoice", 9),
    ("Gift card", 7),
)
DEVICES: tuple[tuple[str, int], ...] = (("Mobile", 55), ("Desktop", 36), ("Tablet", 9))
REFERRERS: tuple[tuple[str | None, int], ...] = (
    ("Search", 38),
    ("Direct", 22),
    ("Newsletter", 14),
    ("Social media", 13),
    ("Partner", 6),
    (None, 7),
)
